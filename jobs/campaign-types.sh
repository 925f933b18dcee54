# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh
# The part types of jobs/campaign.sh, which sources this file: values of 16 bits beside fp32.

# name spec: weights of which 70, 90 and 95 of 100 are zeros
pruned_set()
{
    local n zeros
    for n in 2048 8192; do
        for zeros in 70 90 95; do echo "pruned-$n-$zeros uniform:n=$n,mean=$((n * (100 - zeros) / 100))"; done
    done
}

# what guesses choose among beside the defaults
types_more=gchunk:entries=4,gchunk:entries=8,gchunk:entries=16,gchunk:entries=32,gchunk:vectors=1,gchunk:vectors=2
types_more+=,gpanel:longest=64,gpanel:panel=32,gpanel:strip=32x2,gpanel:strip=16x2,gstage:ctas=4
# of the library, what is within 3 percent of its fastest on 95 of 100 of the first matrices
types_few=cusparse-csr-row:alg=2:pre=0,cusparse-csr-row:alg=3:pre=0..1,cusparse-coo-row:alg=4,cusparse-csr-col:alg=3:pre=0

part_types()
{
    local types=fp32,fp16,bf16 two=fp32,bf16 ours=growmajor,gchunk,gpanel,gstage,gmma
    local real='present && square && rows >= 300 && rows <= 30000 && group != builtin && group != pruned'
    { kinds && random_kinds; } | sed 's/$/,shuffle=both/' | specs shuffled
    kinds | specs natural
    pruned_set | specs pruned
    deal 12 "real matrices" --where "$real" --k 32,128,512 --orders csr --precision "$types" --kernels "$ours,$baseline"
    deal 10 "real matrices, parameters" --where "$real" --k 32,128,512 --orders csr --precision bf16 --kernels "$types_more"
    deal 25 "shuffled" --where 'group == shuffled' --k 32,128 --orders csr,auto --precision $two --kernels "$ours,$types_few"
    deal 10 "shuffled, parameters" --where 'group == shuffled' --k 32,128 --orders auto --precision bf16 --kernels "$types_more"
    deal 10 "pruned weights" --where 'group == pruned' --k 64,512,4096 --orders csr --precision $two --kernels "$ours,$types_few"
    deal 10 "natural" --where 'group == natural' --k 32,128 --orders csr --precision $two --kernels "$ours,$types_few"
    deal 4 "a vector" --where "$real" --op spmv --orders csr --precision "$types" \
        --kernels 'csr,coo,merge,cusparse-spmv-csr*'
    deal 4 "the sampled product" --where "$real" --op sddmm --k 32,128 --orders csr --precision "$types" \
        --kernels 'row-sddmm,cusparse-sddmm-row'
    deal 15 "K = 512" --where 'group == shuffled' --k 512 --orders csr,auto --precision $two --kernels "$ours,$types_few"
    deal_again
}

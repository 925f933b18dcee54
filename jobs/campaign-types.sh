# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh
# The part types of jobs/campaign.sh, which sources this file: values of 16 bits and complex ones beside fp32.

# name spec: weights of which 74, 90 and 95 of 100 are zeros: entries are drawn with repetition, and 70 become 74
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

# name spec: large ones, one of each kind
types_kinds()
{
    kinds | grep -E '^(mesh3d-1\.3m|mesh3d-27pt-500k|sbm-1m|geometric3d-1m|knn-1m|block-1m|citation-1m) '
}

# Shares are for one card, 560 s and 40 real matrices.  A deal makes its large matrices anew, so few deals have them.
part_types()
{
    local types=fp32,fp16,bf16 two=fp32,bf16 any=growmajor,gchunk,gpanel,gstage
    local ours=$any,gmma
    local real='present && square && rows >= 300 && rows <= 30000 && group != builtin && group != pruned'
    { types_kinds && random_kinds; } | sed 's/$/,shuffle=both/' | specs shuffled
    types_kinds | specs natural
    pruned_set | specs pruned
    deal 7 "real matrices" --where "$real" --k 32,64,128,512 --orders csr --precision "$types" --kernels "$ours,$baseline"
    deal 3 "real matrices, complex" --where "$real" --k 8,32,128 --orders csr --precision c64 --kernels "$any,$types_few"
    deal 34 "shuffled" --where 'group == shuffled' --k 32,64,128,512 --orders csr,auto --precision $two --kernels "$ours,$types_few"
    deal 8 "natural" --where 'group == natural' --k 32,64,128,512 --orders csr --precision $two --kernels "$ours,$types_few"
    deal 8 "pruned weights" --where 'group == pruned' --k 64,512,4096 --orders csr --precision $two --kernels "$ours,$types_few"
    deal 17 "shuffled, complex" --where 'group == shuffled' --k 8,32,128 --orders csr,auto --precision c64 --kernels "$any,$types_few"
    deal 7 "natural, complex" --where 'group == natural' --k 8,32,128 --orders csr --precision c64 --kernels "$any,$types_few"
    deal 6 "shuffled, parameters" --where 'group == shuffled' --k 32,128 --orders auto --precision bf16 --kernels "$types_more"
    deal 3 "a vector" --where "$real" --op spmv --orders csr --precision "$types" \
        --kernels 'csr,coo,merge,cusparse-spmv-csr*'
    deal 3 "the sampled product" --where "$real" --op sddmm --k 32,128 --orders csr --precision "$types" \
        --kernels 'row-sddmm,cusparse-sddmm-row'
    deal 3 "real matrices, parameters" --slice 1/3 --where "$real" --k 32,128,512 --orders csr --precision bf16 --kernels "$types_more"
    deal_again
}

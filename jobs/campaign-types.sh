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

part_types()
{
    local types=fp32,fp16,bf16 ours=growmajor,gchunk,gpanel,gstage,gmma
    local real='present && square && rows >= 300 && rows <= 30000 && group != builtin && group != pruned'
    { kinds && random_kinds; } | sed 's/$/,shuffle=both/' | specs shuffled
    kinds | specs natural
    pruned_set | specs pruned
    sweep "types: shuffled" "$store" 1 --where 'group == shuffled' --k 32,128 --orders csr,auto --precision "$types" \
        --kernels "$ours"
    sweep "types: shuffled, the library" "$store" 1 --where 'group == shuffled' --k 32,128 --orders csr \
        --precision "$types" --kernels "$baseline"
    sweep "types: real matrices" "$store" 1 --where "$real" --k 32,128,512 --orders csr --precision "$types" \
        --kernels "$ours,$baseline"
    sweep "types: natural" "$store" 1 --where 'group == natural' --k 32,128 --orders csr --precision "$types" \
        --kernels "$ours,$baseline"
    sweep "types: pruned weights" "$store" 1 --where 'group == pruned' --k 64,512,4096 --orders csr --precision "$types" \
        --kernels "$ours,$baseline"
    sweep "types: a vector" "$store" 1 --where "$real" --op spmv --orders csr --precision "$types" \
        --kernels 'csr,coo,merge,cusparse-spmv-csr*'
    sweep "types: the sampled product" "$store" 1 --where "$real" --op sddmm --k 32,128 --orders csr \
        --precision "$types" --kernels 'row-sddmm,cusparse-sddmm-row'
    sweep "types: K = 64 and 512" "$store" 1 --where 'group == shuffled' --k 64,512 --orders csr,auto \
        --precision "$types" --kernels "$ours,$baseline"
}

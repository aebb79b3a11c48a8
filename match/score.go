package match

import "math/bits"

// AppendScores appends the score of each node to dst, 0 to 100 and more when
// fewer PreferNoSchedule taints are untolerated: counts[i] is that number for
// node i, as [Result.Count] gives it, over all nodes that the pod may be
// scheduled to. A score is 100 - 100*count/max in integers, max being the
// largest count; all are 100 when max is 0. A negative count is 0.
//
// This is how Kubernetes' scheduler normalises what its taints plugin scores.
// It does not allocate when dst has room; dst may be counts[:0].
func AppendScores(dst, counts []int64) []int64 {
	largest := int64(0)
	for _, c := range counts {
		largest = max(largest, c)
	}
	for _, c := range counts {
		score := int64(100)
		if largest > 0 {
			hi, lo := bits.Mul64(100, uint64(max(c, 0))) // exact for any count
			share, _ := bits.Div64(hi, lo, uint64(largest))
			score -= int64(share)
		}
		dst = append(dst, score)
	}
	return dst
}

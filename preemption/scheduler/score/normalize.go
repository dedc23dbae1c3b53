package score

import "slices"

// upwards scales the scores so that the highest becomes maxScore (rule 27.1.5;
// helper.DefaultNormalizeScore).
func upwards(_ *question, raw []int64) []int64 {
	most := max(0, slices.Max(raw))
	out := make([]int64, len(raw))
	for i, score := range raw {
		out[i] = score
		if most > 0 {
			out[i] = maxScore * score / most
		}
	}
	return out
}

// reversed subtracts the scores of upwards from maxScore, so that the lowest raw score is the best.
func reversed(q *question, raw []int64) []int64 {
	out := upwards(q, raw)
	for i := range out {
		out[i] = maxScore - out[i]
	}
	return out
}

// spanned maps the lowest score to 0 and the highest to maxScore. If all scores are equal they are all 0
// (rule 27.6.6).
func spanned(_ *question, raw []int64) []int64 {
	least, span := slices.Min(raw), slices.Max(raw)-slices.Min(raw)
	out := make([]int64, len(raw))
	for i, score := range raw {
		if span > 0 {
			out[i] = int64(float64(maxScore) * (float64(score-least) / float64(span)))
		}
	}
	return out
}

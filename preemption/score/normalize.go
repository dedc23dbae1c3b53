package score

import "slices"

// upwards stretches the scores so that the highest is [MaxScore] (rule 27.1.5;
// helper.DefaultNormalizeScore).
func upwards(_ *question, raw []int64) []int64 { return stretched(raw, false) }

// reversed is upwards, less from [MaxScore].
func reversed(_ *question, raw []int64) []int64 { return stretched(raw, true) }

func stretched(raw []int64, reverse bool) []int64 {
	most := max(0, slices.Max(raw))
	out := make([]int64, len(raw))
	for i, score := range raw {
		if most > 0 {
			score = MaxScore * score / most
		}
		if reverse {
			score = MaxScore - score
		}
		out[i] = score
	}
	return out
}

// spanned maps the lowest score to 0 and the highest to [MaxScore]; equal ones are all 0
// (rule 27.6.6).
func spanned(_ *question, raw []int64) []int64 {
	least, span := slices.Min(raw), slices.Max(raw)-slices.Min(raw)
	out := make([]int64, len(raw))
	for i, score := range raw {
		if span > 0 {
			out[i] = int64(float64(MaxScore) * (float64(score-least) / float64(span)))
		}
	}
	return out
}

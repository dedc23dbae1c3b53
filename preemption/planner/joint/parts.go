package joint

import (
	"encoding/json"

	"github.com/outrank-go/outrank/preemption"
)

// part is a candidate, and its score, in the JSON format of a plan.
type part struct {
	whole json.RawMessage
	score json.RawMessage
}

// partsOf encodes candidates in the JSON format of a plan. Candidates and scores have no JSON of their own, so a
// plan that contains them is encoded and taken apart.
func partsOf(candidates ...preemption.Candidate) ([]part, error) {
	explained := preemption.Plan{Nodes: []preemption.NodeReport{{}}, Candidates: candidates}
	text, err := explained.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var document struct{ Candidates []json.RawMessage }
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}

	parts := make([]part, len(document.Candidates))
	for i, whole := range document.Candidates {
		var candidate struct{ Score json.RawMessage }
		if err := json.Unmarshal(whole, &candidate); err != nil {
			return nil, err
		}
		parts[i] = part{whole, candidate.Score}
	}
	return parts, nil
}

// scoresOf encodes scores in the JSON format of a plan.
func scoresOf(scores ...preemption.Score) ([]json.RawMessage, error) {
	candidates := make([]preemption.Candidate, len(scores))
	for i, score := range scores {
		candidates[i].Score = score
	}
	parts, err := partsOf(candidates...)
	if err != nil {
		return nil, err
	}
	texts := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		texts[i] = p.score
	}
	return texts, nil
}

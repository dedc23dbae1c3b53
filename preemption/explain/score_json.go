package explain

import (
	"encoding/json"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// scoreText is a [Score] as it is written: package time writes no start beyond the years 0 to
// 9999, and pods have starts of any year (rule 26.2.2).
type scoreText struct {
	Violations  int    `json:"violations"`
	TopPriority int32  `json:"topPriority"`
	PrioritySum int64  `json:"prioritySum"`
	Victims     int    `json:"victims"`
	Start       string `json:"start,omitempty"`

	Own map[string]int64 `json:"own,omitempty"`
}

// MarshalJSON returns the score as REPORT_JSON.md describes it.
func (s Score) MarshalJSON() ([]byte, error) {
	text := scoreText{
		Violations: s.Violations, TopPriority: s.TopPriority, PrioritySum: s.PrioritySum, Victims: s.Victims,
		Own: s.Own,
	}
	if !s.Start.IsZero() {
		text.Start = manifest.FormatTime(s.Start)
	}
	return json.Marshal(text)
}

// UnmarshalJSON reads what [Score.MarshalJSON] returns. An error is an *[outrank.InputError] and
// leaves s as it was.
func (s *Score) UnmarshalJSON(raw []byte) error {
	var text scoreText
	if err := json.Unmarshal(raw, &text); err != nil {
		return notScore("", err)
	}
	read := Score{
		Violations: text.Violations, TopPriority: text.TopPriority, PrioritySum: text.PrioritySum, Victims: text.Victims,
		Own: text.Own,
	}
	if text.Start != "" {
		var err error
		if read.Start, err = manifest.ParseTime(text.Start); err != nil {
			return notScore("start", err)
		}
	}
	*s = read
	return nil
}

func notScore(field string, err error) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "score", Field: field, Text: err.Error()}}}
}

package fit

import (
	"strconv"

	"github.com/outrank-go/outrank"
)

// TermProblem says what kube-scheduler cannot read in a term that an API server accepts: a value that no label
// can have, or a value of Gt or Lt that is not an integer (rule 7.5.8). It is empty for a term that can be
// read.
func TermProblem(t *outrank.NodeSelectorTerm) string {
	for i := range t.MatchExpressions {
		r := &t.MatchExpressions[i]
		for _, v := range r.Values {
			if !labelValue(v) {
				return quoted(v) + " is not a label value"
			}

			if r.Operator != outrank.Gt && r.Operator != outrank.Lt {
				continue
			}
			if _, err := strconv.ParseInt(v, 10, 64); err != nil {
				return quoted(v) + " is not an integer"
			}
		}
	}
	return ""
}

// quoted returns a text in quotes. A long text is cut after its beginning.
func quoted(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}

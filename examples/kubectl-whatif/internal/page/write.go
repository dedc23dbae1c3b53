package page

import (
	"bytes"
	"errors"
	"io"
)

// ErrIncomplete is returned for an input without a snapshot, an explanation or a
// report.
var ErrIncomplete = errors.New("a page needs a snapshot, an explanation and a report")

// Write writes the page of a decision. It writes nothing unless it has the whole page. The error
// is [ErrIncomplete] or the writer's.
//
// Time and the size of the page are linear in the nodes, and in the pods of the nodes
// that are drawn pod by pod: at most [MostDetailed] nodes, which bounds them. Write only
// reads the input, so that several calls may share one.
func Write(w io.Writer, in Input) error {
	if in.Snapshot == nil || in.Explanation == nil || in.Explanation.Pod == nil || in.Report == nil {
		return ErrIncomplete
	}
	var out bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&out, "page", newDocument(&in)); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

package console

import (
	"bytes"
	"io"
)

// Sheet collects a text for another page of the same width and writes it at once, so that an error leaves no
// half of a text.
type Sheet struct {
	Page
	text *bytes.Buffer
}

// SheetFor begins a text for w. If w is a [Page], the text has the width of that page.
func SheetFor(w io.Writer) *Sheet {
	s := &Sheet{text: &bytes.Buffer{}}
	if page, ok := w.(Page); ok {
		s.Screen = page.Screen
	}
	s.W = s.text
	return s
}

// To writes the text. The error is that of w.
func (s *Sheet) To(w io.Writer) error {
	_, err := w.Write(s.text.Bytes())
	return err
}

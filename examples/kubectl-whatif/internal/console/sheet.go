package console

import (
	"bytes"
	"io"
)

// Sheet is a page that collects a text for another page, which has the same width, and writes it at
// once: an error leaves no half text.
type Sheet struct {
	Page
	text *bytes.Buffer
}

// SheetFor begins a text for w. If w is a [Page], the text is as wide as that.
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

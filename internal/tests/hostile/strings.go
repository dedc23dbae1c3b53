package hostile

import (
	"io"
	"strings"
)

// Script returns a list with one pod whose annotation repeats a text up to the given size in bytes.
func Script(of string, size int) string {
	return `{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"p","annotations":{"script":"` +
		strings.Repeat(of, size/len(of)) + `"}}}]}`
}

// SmallReads returns a reader of the text that returns at most the given number of bytes at a time.
func SmallReads(text string, most int) io.Reader { return &smallReader{strings.NewReader(text), most} }

type smallReader struct {
	r    io.Reader
	most int
}

func (s *smallReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.most)]) }

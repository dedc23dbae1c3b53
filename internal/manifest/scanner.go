package manifest

import (
	"bytes"
	"fmt"
	"io"
)

// scanner walks over JSON text and finds where values begin and end, without decoding them.
type scanner struct {
	r   io.Reader
	buf []byte
	// pos is the place of the next byte in buf.
	pos int
	// mark is the place in buf from which bytes are kept. It is -1 if bytes before pos need not be kept.
	mark int
	// off is the offset of buf[0] in the stream.
	off int64
	// err is the error of r, or of fill, once there is one.
	err error
	// key is the key of the current member.
	key []byte
}

// chunk is the least room in the buffer for a read, in bytes.
const chunk = 256 << 10

// mostText is the largest part of a stream that is kept, an object or a string, in bytes. An API server accepts
// no object of more than 3 MB; indented, it can be a few times as long.
const mostText = 8 << 20

// fill reads more of the stream. It moves the bytes that are kept to the beginning of buf, and pos and mark
// with them. It returns an error if it would have to keep more than mostText.
func (s *scanner) fill() error {
	if s.err != nil {
		return s.err
	}

	// The bytes from keep on are still needed, and are moved to the beginning of the buffer.
	keep := s.pos
	if s.mark >= 0 {
		keep = s.mark
	}
	if len(s.buf)-keep > mostText {
		s.err = &refusal{text: fmt.Sprintf("what begins at byte %d is longer than %d MB; no API server has an object of that size", s.off+int64(keep), mostText>>20)}
		return s.err
	}

	if keep > 0 {
		n := copy(s.buf, s.buf[keep:])
		s.buf = s.buf[:n]
		s.off += int64(keep)
		s.pos -= keep
		if s.mark >= 0 {
			s.mark = 0
		}
	}

	// The buffer doubles, so that the bytes of a large object are copied only a few times.
	if cap(s.buf)-len(s.buf) < chunk {
		grown := make([]byte, len(s.buf), 2*cap(s.buf)+chunk)
		copy(grown, s.buf)
		s.buf = grown
	}

	// A reader may return nothing without an error, but not for ever.
	for empty := 0; ; empty++ {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if empty == 100 {
			s.err = io.ErrNoProgress
			return s.err
		}
	}
}

// byteOrderMark is UTF-8's byte order mark. A stream may begin with one.
var byteOrderMark = []byte("\xEF\xBB\xBF")

// peek skips white space and returns the byte that follows, without moving past it.
func (s *scanner) peek() (byte, error) {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\r':
			case '\n': // many spaces usually follow
				s.pos = afterSpaces(s.buf, s.pos+1) - 1
			case byteOrderMark[0]:
				if marked, err := s.startsWithMark(); err != nil || !marked {
					return c, err
				}
				s.pos += len(byteOrderMark) - 1
			default:
				return c, nil
			}
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// startsWithMark reports whether the next byte is at the start of the stream and begins a byte order mark.
func (s *scanner) startsWithMark() (bool, error) {
	if s.off+int64(s.pos) != 0 {
		return false, nil
	}

	// The reader may have returned only a part of the mark so far.
	for len(s.buf) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, s.buf) {
		if err := s.fill(); err == io.EOF {
			break
		} else if err != nil {
			return false, err
		}
	}
	return bytes.HasPrefix(s.buf, byteOrderMark), nil
}

// since returns the text since the mark and drops the mark.
func (s *scanner) since() []byte {
	if s.mark < 0 {
		return nil
	}
	raw := s.buf[s.mark:s.pos:s.pos]
	s.mark = -1
	return raw
}

// object reads an object. After each key and its colon it calls member, which must read the value. The key is
// valid until the scanner moves on.
func (s *scanner) object(member func(key []byte) error) error {
	return s.sequence('}', func() error {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c != '"' {
			return s.unexpected(c)
		}
		n, err := s.quoted()
		if err != nil {
			return err
		}

		// The key is copied: looking for the colon may move the buffer.
		s.key = append(s.key[:0], s.buf[s.pos-n+1:s.pos-1]...)
		if c, err = s.peek(); err != nil {
			return err
		}
		if c != ':' {
			return s.unexpected(c)
		}
		s.pos++
		return member(s.key)
	})
}

// array reads an array. At each element it calls element, which must read it.
func (s *scanner) array(element func() error) error { return s.sequence(']', element) }

// sequence reads an opening bracket, elements separated by commas, and the closing bracket.
func (s *scanner) sequence(closing byte, element func() error) error {
	s.pos++
	c, err := s.peek()
	if err != nil {
		return err
	}
	if c == closing {
		s.pos++
		return nil
	}

	// After each element comes a comma or the end. pos stays before any other byte, so that the error names its
	// place.
	for {
		if err := element(); err != nil {
			return err
		}
		c, err := s.peek()
		if err != nil {
			return err
		}

		s.pos++
		switch c {
		case ',':
		case closing:
			return nil
		default:
			s.pos--
			return s.unexpected(c)
		}
	}
}

// text reads a string and returns the text between its quotes. It does not resolve escapes, since the kinds
// that it is used for have none.
func (s *scanner) text() (string, error) {
	n, err := s.quoted()
	if err != nil {
		return "", err
	}
	return string(s.buf[s.pos-n+1 : s.pos-1]), nil
}

// quoted moves past a string and returns its length with quotes. Time is linear in the length, however many
// escapes and reads there are.
func (s *scanner) quoted() (int, error) {
	// Most strings are whole in the buffer and have no backslash.
	if end := beforeQuote(s.buf, s.pos+1); end < len(s.buf) && s.buf[end] == '"' {
		n := end + 1 - s.pos
		s.pos = end + 1
		return n, nil
	}

	// Invariant: the n bytes from pos on are part of the string, and none of them is the closing quote. No
	// quote stands between n and searched, both counted from pos. At searched there is one, or the buffer ends
	// there.
	n, searched := 1, 1
	for {
		// pos stays at the beginning of the string, so that fill keeps the string.
		for s.pos+n >= len(s.buf) {
			if err := s.fill(); err != nil {
				return 0, err
			}
		}

		// A new search is needed if the quote at searched was part of an escape, or if the buffer has grown.
		if searched <= n || s.pos+searched < len(s.buf) && s.buf[s.pos+searched] != '"' {
			searched = max(n, searched)
			if at := bytes.IndexByte(s.buf[s.pos+searched:], '"'); at >= 0 {
				searched += at
			} else {
				searched = len(s.buf) - s.pos
			}
		}

		// The character after a backslash is part of the string, even if it is a quote.
		if escape := bytes.IndexByte(s.buf[s.pos+n:s.pos+searched], '\\'); escape >= 0 {
			n += escape + 2
			continue
		}

		if s.pos+searched < len(s.buf) {
			s.pos += searched + 1
			return searched + 1, nil
		}
		n = searched
	}
}

// skip moves past one value of any kind.
func (s *scanner) skip() error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		_, err := s.quoted()
		return err
	case '{', '[':
		return s.skipNested()
	case '}', ']', ',', ':':
		return s.unexpected(c)
	}
	return s.skipWord()
}

// skipWord moves past a number or a literal. It may end with the stream.
func (s *scanner) skipWord() error {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch s.buf[s.pos] {
			case ',', '}', ']', ' ', '\t', '\n', '\r', ':', '"', '{', '[':
				return nil
			}
		}
		if err := s.fill(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// structural marks the bytes that matter for skipping a value. The end of a line is one of them, because many spaces
// usually follow it.
var structural = [256]bool{'{': true, '[': true, '}': true, ']': true, '"': true, '\n': true}

// skipNested moves past an object or an array. It counts brackets of both kinds together, so that mixed-up ones
// pass.
func (s *scanner) skipNested() error {
	depth := 0
	for {
		// Local copies of the fields keep the loop fast.
		buf, pos := s.buf, s.pos
		for pos < len(buf) && !structural[buf[pos]] {
			pos++
		}
		s.pos = pos
		if pos == len(buf) {
			if err := s.fill(); err != nil {
				return err
			}
			continue
		}

		switch buf[pos] {
		case '"':
			if _, err := s.quoted(); err != nil {
				return err
			}
			continue
		case '\n':
			s.pos = afterSpaces(buf, pos+1)
			continue
		case '{', '[':
			depth++
		default:
			depth--
		}

		s.pos++
		if depth == 0 {
			return nil
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// frames is what the client sends, line by line, without the lines that are no message of JSON-RPC:
// these are answered with an error, and the next line is read. The transport itself would end with
// the first of them.
type frames struct {
	from *bufio.Reader
	out  *replies
	// rest is what is left to hand on of a line.
	rest []byte
	in   io.Closer
}

func newFrames(in io.ReadCloser, out io.WriteCloser) *frames {
	return &frames{from: bufio.NewReaderSize(in, 64<<10), out: &replies{to: out}, in: in}
}

// replies has one writer at a time, each of whole lines.
type replies struct {
	mu sync.Mutex
	to io.WriteCloser
}

func (r *replies) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(line)
}

// Close implements [io.Closer]. Standard output stays open, as for the transport of the library.
func (r *replies) Close() error { return nil }

// Close implements [io.Closer].
func (f *frames) Close() error { return f.in.Close() }

// Read implements [io.Reader].
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		f.rest = line
	}
	n := copy(p, f.rest)
	if f.rest = f.rest[n:]; len(f.rest) == 0 {
		f.rest = nil // a dump is not held while it is answered about
	}
	return n, nil
}

// The codes of JSON-RPC for what is no JSON, and for what is no message.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// line reads the next line. It returns none where it has answered the line by itself.
func (f *frames) line() ([]byte, error) {
	line, long, err := f.bounded()
	if len(bytes.TrimSpace(line)) == 0 && !long {
		return nil, err
	}
	switch {
	case long:
		return nil, f.refuse(invalidRequest, fmt.Sprintf("a message has more than %d bytes", mostFrame))
	case !json.Valid(line):
		return nil, f.refuse(parseError, "a line is no JSON")
	case !isMessage(line):
		return nil, f.refuse(invalidRequest, "a line is no message of JSON-RPC 2.0")
	}
	return append(bytes.TrimSpace(line), '\n'), nil
}

// bounded reads a line. Of one that is too long it keeps nothing, and reads to its end.
func (f *frames) bounded() (line []byte, long bool, err error) {
	for {
		part, err := f.from.ReadSlice('\n')
		if long = long || len(line)+len(part) > mostFrame; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch err {
		case bufio.ErrBufferFull:
		case nil:
			return line, long, nil
		default:
			if len(line) > 0 || long { // the last line, without an end
				return line, long, nil
			}
			return nil, false, err
		}
	}
}

// begins is the first byte of a value, and 0 where there is none. It holds nothing of the value.
type begins byte

// UnmarshalJSON implements [json.Unmarshaler].
func (b *begins) UnmarshalJSON(text []byte) error {
	*b = begins(text[0])
	return nil
}

// isMessage reports whether valid JSON is a request, a notification or an answer. Messages come one
// by one: the protocol has no batches any more.
func isMessage(line []byte) bool {
	var m struct {
		JSONRPC string  `json:"jsonrpc"`
		ID      *begins `json:"id"`
		Method  any     `json:"method"`
		Params  begins  `json:"params"`
		Result  *begins `json:"result"`
		Error   begins  `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
		return false
	}
	if m.ID != nil && *m.ID != '"' && *m.ID != '-' && (*m.ID < '0' || *m.ID > '9') {
		return false
	}
	if m.Params != 0 && m.Params != '{' && m.Params != '[' {
		return false
	}
	if m.Method != nil {
		name, ok := m.Method.(string)
		return ok && name != ""
	}
	return m.ID != nil && (m.Result != nil || m.Error == '{')
}

// refuse answers a line that belongs to no request.
func (f *frames) refuse(code int, why string) error {
	_, err := fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
	return err
}

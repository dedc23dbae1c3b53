package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// frames reads what the client sends, line by line. A line that is no JSON-RPC message is answered with an
// error and skipped. The transport itself would end with the first one.
type frames struct {
	from *bufio.Reader
	out  *replies
	// rest is the part of a message that was not passed on yet.
	rest []byte
	in   io.Closer
}

// newFrames reads from in, and answers to out.
func newFrames(in io.ReadCloser, out io.WriteCloser) *frames {
	return &frames{from: bufio.NewReaderSize(in, 64<<10), out: &replies{to: out}, in: in}
}

// replies writes whole lines, one at a time, because the server may answer while frames refuses a line.
type replies struct {
	mu sync.Mutex
	to io.WriteCloser
}

// Write implements [io.Writer].
func (r *replies) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(line)
}

// Close implements [io.Closer]. Standard output stays open, as it does with the library's own transport.
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

	// A dump that was passed on is released, because answering needs memory of its own.
	n := copy(p, f.rest)
	if f.rest = f.rest[n:]; len(f.rest) == 0 {
		f.rest = nil
	}
	return n, nil
}

// Codes of JSON-RPC: parseError for what is no JSON, and invalidRequest for what is no message.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// line reads the next line that is a message, and ends it with one line feed. It returns no line and no error
// if the line is empty, or if it is no message and has been answered.
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

// bounded reads a line. Of a line that is too long it keeps nothing, but reads to its end.
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
			// The last line may have no line feed. The error is returned by the next call.
			if len(line) > 0 || long {
				return line, long, nil
			}
			return nil, false, err
		}
	}
}

// begins is the first byte of a JSON value, or 0 if there is none. The rest of the value is not kept.
type begins byte

// UnmarshalJSON implements [json.Unmarshaler].
func (b *begins) UnmarshalJSON(text []byte) error {
	*b = begins(text[0])
	return nil
}

// isMessage reports whether valid JSON is a request, a notification or a response. Batches of messages are not
// part of the protocol.
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

	// An id is a string or a number, and params is an object or an array.
	if m.ID != nil && *m.ID != '"' && *m.ID != '-' && (*m.ID < '0' || *m.ID > '9') {
		return false
	}
	if m.Params != 0 && m.Params != '{' && m.Params != '[' {
		return false
	}

	// A request or a notification has a method. A response has a result or an error.
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

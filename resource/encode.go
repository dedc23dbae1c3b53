package resource

import (
	"bytes"
	"encoding/json"
)

// MarshalText returns the canonical text, for encoders of JSON and of other
// forms. It never fails.
func (q Quantity) MarshalText() ([]byte, error) { return q.appendTo(nil), nil }

// UnmarshalText sets q to what [Parse] reads, or leaves it alone and returns
// Parse's error.
func (q *Quantity) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*q = read
	return nil
}

// UnmarshalJSON accepts a string, as kubectl prints quantities, and a number, as
// people write them. A number is read by its text, so that 1.10 and 1e3 mean what
// "1.10" and "1e3" mean. Blanks around the value are ignored, also within the
// string (rule 1.1.8). null leaves q as it is. Everything else is an error that
// wraps [ErrSyntax].
func (q *Quantity) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return q.unmarshalNumber(data)
	}

	// A string without escapes, as nearly all quantities are, is its own text.
	if bytes.IndexByte(data, '\\') < 0 {
		return q.UnmarshalText(bytes.TrimSpace(data[1 : len(data)-1]))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return refuse(string(data), err.Error())
	}
	return q.UnmarshalText(bytes.TrimSpace([]byte(text)))
}

// unmarshalNumber reads a JSON number, which has neither a suffix nor a leading plus.
func (q *Quantity) unmarshalNumber(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return refuse(string(data), "neither a JSON string nor a number")
	}
	return q.UnmarshalText([]byte(number))
}

package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Object is an object of Kubernetes of which only the identifying fields were read.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	// Raw is the object as JSON, with its apiVersion and kind.
	Raw json.RawMessage
}

// head has the fields that identify an object.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
}

// ErrSyntax is wrapped by errors about a text that is not JSON.
var ErrSyntax = errors.New("this cannot be read as JSON")

// mostHeld is the largest part of a text, in bytes, that is held in memory: an object, the entries of a nested
// list, or the entries of a list that names its kind only after them.
const mostHeld = 64 << 20

// errTooMuch is the error about a part that is longer than mostHeld.
var errTooMuch = fmt.Errorf("%w: an object, or a list in a list, is longer than %d MB", ErrSyntax, mostHeld>>20)

// bounded is a reader that returns at most mostHeld bytes for one value.
type bounded struct {
	r    io.Reader
	left int
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// renew lets another value begin.
func (b *bounded) renew() { b.left = mostHeld }

// Each calls f with every object of a stream of JSON documents. It takes lists apart: those of kind List, those
// of one kind, such as PodList, whose entries need not name it, and nested lists up to ten deep. It stops at
// the first error of f.
func Each(r io.Reader, f func(Object) error) error { return eachIn(r, 0, f) }

// mostNested is how deep lists may be nested.
const mostNested = 10

// eachIn is Each for a text that is nested in depth lists.
func eachIn(r io.Reader, depth int, f func(Object) error) error {
	in := &bounded{r: r}
	d := json.NewDecoder(in)
	for {
		// Each document may be as long as the bound.
		in.renew()
		switch token, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return unreadable(d, err)
		case token != json.Delim('{'):
			return fmt.Errorf("%w: at byte %d stands no object", ErrSyntax, d.InputOffset())
		}
		doc := document{in: in, decoder: d, depth: depth, f: f}
		if err := doc.read(); err != nil {
			return err
		}
	}
}

// unreadable turns an error of the decoder into a syntax error with its position. It leaves errors of the
// reader unchanged.
func unreadable(d *json.Decoder, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: after byte %d: %v", ErrSyntax, d.InputOffset(), err)
	}
	return err
}

// document is a document that is being read.
type document struct {
	in      *bounded
	decoder *json.Decoder
	// depth is the number of lists that contain the document.
	depth int
	f     func(Object) error

	// fields has the text of all fields except items. head has the fields that identify the document.
	fields bytes.Buffer
	head   head
	// isList says that the document has the field items.
	isList bool
	// held are entries without a kind, which wait until the list names it. heldSize is their total length in
	// bytes.
	held     []json.RawMessage
	heldSize int
}

// read reads the fields of a document, and passes its objects to f.
func (d *document) read() error {
	for d.decoder.More() {
		d.in.renew()
		token, err := d.decoder.Token()
		if err != nil {
			return unreadable(d.decoder, err)
		}
		if key, _ := token.(string); key == "items" {
			err = d.items()
		} else {
			err = d.field(key)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.decoder.Token(); err != nil {
		return unreadable(d.decoder, err)
	}
	return d.finish()
}

// field reads a field other than items, and keeps its text.
func (d *document) field(key string) error {
	var value json.RawMessage
	if err := d.decoder.Decode(&value); err != nil {
		return unreadable(d.decoder, err)
	}

	name, err := json.Marshal(key)
	if err != nil {
		return err
	}
	if d.fields.Len() > 0 {
		d.fields.WriteByte(',')
	}
	d.fields.Write(name)
	d.fields.WriteByte(':')
	d.fields.Write(value)

	// Values of a wrong type are left to the library, which reports them.
	switch key {
	case "apiVersion":
		_ = json.Unmarshal(value, &d.head.APIVersion)
	case "kind":
		_ = json.Unmarshal(value, &d.head.Kind)
	case "metadata":
		_ = json.Unmarshal(value, &d.head.Metadata)
	}
	return nil
}

// items reads the entries of a list. null is a list without entries.
func (d *document) items() error {
	token, err := d.decoder.Token()
	switch {
	case err != nil:
		return unreadable(d.decoder, err)
	case token == nil:
		d.isList = true
		return nil
	case token != json.Delim('['):
		return fmt.Errorf("%w: before byte %d: items is no list", ErrSyntax, d.decoder.InputOffset())
	}
	d.isList = true

	// Each entry may be as long as the bound.
	for d.decoder.More() {
		d.in.renew()
		var raw json.RawMessage
		if err := d.decoder.Decode(&raw); err != nil {
			return unreadable(d.decoder, err)
		}
		if err := d.entry(raw); err != nil {
			return err
		}
	}
	if _, err = d.decoder.Token(); err != nil {
		return unreadable(d.decoder, err)
	}
	return nil
}

// entry passes on an entry of a list, or holds it until the list names its kind.
func (d *document) entry(raw json.RawMessage) error {
	var h head
	// Fields of a wrong type are left to the library, which reports them.
	_ = json.Unmarshal(raw, &h)
	if h.Kind != "" {
		return d.handOut(h, raw)
	}
	if d.head.Kind != "" {
		return d.unnamed(h, raw)
	}

	if d.heldSize += len(raw); d.heldSize > mostHeld {
		return fmt.Errorf("a list of more than %d MB names the kind of its objects only after them", mostHeld>>20)
	}
	d.held = append(d.held, raw)
	return nil
}

// unnamed passes on an entry whose kind only its list names: the kind of PodList is Pod. It inserts the kind
// and the version before the entry's own fields. If the list does not tell the kind either, the entry is passed
// on without one.
func (d *document) unnamed(h head, raw json.RawMessage) error {
	kind, ok := strings.CutSuffix(d.head.Kind, "List")
	body := bytes.TrimSpace(raw)
	if !ok || kind == "" || len(body) == 0 || body[0] != '{' {
		return d.f(Object{Namespace: h.Metadata.Namespace, Name: h.Metadata.Name, Raw: raw})
	}

	h.Kind = kind
	if h.APIVersion == "" {
		h.APIVersion = d.head.APIVersion
	}

	own, err := json.Marshal(map[string]string{"apiVersion": h.APIVersion, "kind": h.Kind})
	if err != nil {
		return err
	}
	if rest := bytes.TrimSpace(body[1:]); len(rest) > 0 && rest[0] != '}' {
		own = append(own[:len(own)-1], ',')
		own = append(own, rest...)
	}

	return d.f(objectOf(h, own))
}

// handOut passes on an object, or the entries of a nested list.
func (d *document) handOut(h head, raw json.RawMessage) error {
	if strings.HasSuffix(h.Kind, "List") {
		if d.depth == mostNested {
			return fmt.Errorf("lists stand in lists more than %d deep", mostNested)
		}
		return eachIn(bytes.NewReader(raw), d.depth+1, d.f)
	}
	return d.f(objectOf(h, raw))
}

// objectOf returns an object with its identifying fields.
func objectOf(h head, raw json.RawMessage) Object {
	return Object{APIVersion: h.APIVersion, Kind: h.Kind, Namespace: h.Metadata.Namespace, Name: h.Metadata.Name, Raw: raw}
}

// finish passes on the entries that were held until the end of the document, and then the document itself,
// unless it is a list.
func (d *document) finish() error {
	for _, raw := range d.held {
		var h head
		_ = json.Unmarshal(raw, &h)
		if err := d.unnamed(h, raw); err != nil {
			return err
		}
	}

	if d.isList && (strings.HasSuffix(d.head.Kind, "List") || d.head.Kind == "") {
		// A list has been passed on entry by entry.
		return nil
	}

	raw := make(json.RawMessage, 0, d.fields.Len()+2)
	raw = append(append(append(raw, '{'), d.fields.Bytes()...), '}')
	return d.f(objectOf(d.head, raw))
}

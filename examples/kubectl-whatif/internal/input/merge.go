package input

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Merged is several files as one stream of JSON documents, one object each. An object that
// stands in two files counts once where both say the same of it; where
// they do not, which of them is the newer nobody knows, and it is an error that names both.
//
// Time and memory are those of reading each file once and of a hash for each object.
type Merged struct {
	// Open opens the file of a name; done is called when it was read.
	Open func(name string) (r io.Reader, done func() error, err error)

	names []string
	known map[identity]copyOf
}

// identity is what an object is known by in a cluster.
type identity struct{ kind, namespace, name string }

// copyOf is where an object was found, and what it said.
type copyOf struct {
	file string
	hash [sha256.Size]byte
}

// Merge returns the objects of all files, file by file.
func Merge(names []string, open func(name string) (io.Reader, func() error, error)) *Merged {
	return &Merged{Open: open, names: names, known: map[identity]copyOf{}}
}

// Reader returns a reader of all objects. It has to be read to its end, or closed.
func (m *Merged) Reader() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := m.WriteTo(w)
		w.CloseWithError(err)
	}()
	return r
}

// WriteTo writes all objects.
func (m *Merged) WriteTo(w io.Writer) (int64, error) {
	c := &counting{w: w}
	for _, name := range m.names {
		if err := m.file(c, name); err != nil {
			return c.n, err
		}
	}
	return c.n, nil
}

// counting counts what is written through it.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// FileError is what is wrong with one of several files.
type FileError struct {
	File string
	Err  error
}

// Error names the file.
func (e *FileError) Error() string { return Called(e.File) + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FileError) Unwrap() error { return e.Err }

var errWriting = errors.New("writing")

func (m *Merged) file(w io.Writer, name string) error {
	r, done, err := m.Open(name)
	if err != nil {
		return err
	}
	defer done()
	text, err := JSON(r)
	if err == nil {
		err = Each(text, func(o Object) error {
			another, err := m.another(name, o)
			if err != nil || another {
				return err
			}
			if _, err = w.Write(append(o.Raw, '\n')); err != nil {
				return errWriting
			}
			return nil
		})
	}
	if err != nil && !errors.Is(err, errWriting) {
		return &FileError{name, err}
	}
	return err
}

// another reports whether an object of this file was found, the same, in one before.
// Objects of the same name within one file are for the library to complain of.
func (m *Merged) another(file string, o Object) (bool, error) {
	if o.Kind == "" || o.Name == "" {
		return false, nil
	}
	group, _, _ := strings.Cut(o.APIVersion, "/")
	if !strings.Contains(o.APIVersion, "/") {
		group = ""
	}
	id := identity{o.Kind + "." + group, o.Namespace, o.Name}
	hash, err := o.hash()
	if err != nil {
		return false, err
	}
	one := copyOf{file, hash}
	before, known := m.known[id]
	switch {
	case !known:
		m.known[id] = one
		return false, nil
	case before.file == file:
		return false, nil
	case before.hash == one.hash:
		return true, nil
	}
	return false, fmt.Errorf("%s is in %s, too, and not the same there: leave one of them out", o.called(), Called(before.file))
}

// hash is the same for objects that say the same, whatever the order of their fields.
func (o *Object) hash() ([sha256.Size]byte, error) {
	d := json.NewDecoder(bytes.NewReader(o.Raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return [sha256.Size]byte{}, err
	}
	sorted, err := json.Marshal(v)
	return sha256.Sum256(sorted), err
}

// called is what messages call an object.
func (o *Object) called() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return strings.ToLower(o.Kind) + " " + name
}

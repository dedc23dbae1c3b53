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

// Merged combines several files into one stream of JSON documents, with one object each. An object that occurs
// in two files counts once if both copies are equal. If they differ, it is unknown which is newer, and the
// error names both files.
//
// Each file is read once, and a hash of each object is kept. A file is read once more if a later file has
// objects in common with it that are written differently.
type Merged struct {
	// Open opens a file by name. done is called once the file is read.
	Open func(name string) (r io.Reader, done func() error, err error)

	names []string
	// known has the first copy of each object.
	known map[identity]copyOf
	// sorted has, for files that were read again, hashes of their objects that do not depend on the order of
	// fields.
	sorted map[string]map[identity][sha256.Size]byte
}

// identity identifies an object in a cluster.
type identity struct{ kind, namespace, name string }

// copyOf is where a copy of an object was read: the file, and the hash of the exact text.
type copyOf struct {
	file string
	hash [sha256.Size]byte
}

// Merge returns the objects of all files, file by file.
func Merge(names []string, open func(name string) (io.Reader, func() error, error)) *Merged {
	return &Merged{Open: open, names: names, known: map[identity]copyOf{}, sorted: map[string]map[identity][sha256.Size]byte{}}
}

// Reader returns a reader of all objects. It has to be read to its end or closed.
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

// counting counts the bytes that are written through it.
type counting struct {
	w io.Writer
	n int64
}

// Write implements [io.Writer].
func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// FileError is the error of one of several files.
type FileError struct {
	File string
	Err  error
}

// Error names the file.
func (e *FileError) Error() string { return Called(e.File) + ": " + e.Err.Error() }

// Unwrap returns the error without the file.
func (e *FileError) Unwrap() error { return e.Err }

// errWriting marks errors of the writer, which concern no file.
var errWriting = errors.New("writing")

// file writes the objects of a file that no earlier file has.
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

// another reports whether an earlier file has an equal object. Two objects of one name within a file are left
// to the library, which reports them.
func (m *Merged) another(file string, o Object) (bool, error) {
	if o.Kind == "" || o.Name == "" {
		return false, nil
	}

	id, one := o.identity(), copyOf{file, sha256.Sum256(o.Raw)}
	before, known := m.known[id]
	switch {
	case !known:
		m.known[id] = one
		return false, nil
	case before.file == file:
		return false, nil
	// If the texts are exactly the same, nothing more has to be compared.
	case before.hash == one.hash:
		return true, nil
	}

	same, err := m.sayTheSame(before.file, id, &o)
	if err == nil && !same {
		err = fmt.Errorf("%s is in %s, too, and not the same there: leave one of them out", o.called(), Called(before.file))
	}
	return same, err
}

// identity returns the identity of an object. Different versions of an API group have the same objects.
func (o *Object) identity() identity {
	group, _, found := strings.Cut(o.APIVersion, "/")
	if !found {
		group = ""
	}
	return identity{o.Kind + "." + group, o.Namespace, o.Name}
}

// sayTheSame reports whether an object of an earlier file equals this one apart from the order of fields and
// from spaces. Standard input cannot be read again, so that its objects count as different.
func (m *Merged) sayTheSame(file string, id identity, o *Object) (bool, error) {
	if file == Stdin {
		return false, nil
	}

	if m.sorted[file] == nil {
		hashes, err := m.hashes(file)
		if err != nil {
			return false, err
		}
		m.sorted[file] = hashes
	}

	hash, err := o.hash()
	return hash == m.sorted[file][id], err
}

// hashes reads a file again, and returns hashes of its objects.
func (m *Merged) hashes(file string) (map[identity][sha256.Size]byte, error) {
	r, done, err := m.Open(file)
	if err != nil {
		return nil, err
	}
	defer done()
	text, err := JSON(r)
	if err != nil {
		return nil, err
	}

	out := map[identity][sha256.Size]byte{}
	err = Each(text, func(o Object) error {
		hash, err := o.hash()
		out[o.identity()] = hash
		return err
	})
	return out, err
}

// hash returns a hash that is the same for equal objects, whatever the order of their fields.
func (o *Object) hash() ([sha256.Size]byte, error) {
	d := json.NewDecoder(bytes.NewReader(o.Raw))
	// Numbers keep their text, so that none is rounded. Maps are written in the order of their keys.
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return [sha256.Size]byte{}, err
	}
	sorted, err := json.Marshal(v)
	return sha256.Sum256(sorted), err
}

// called returns the name of an object for messages.
func (o *Object) called() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return strings.ToLower(o.Kind) + " " + name
}

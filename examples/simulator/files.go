package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// files are the files that a call reads and writes. All of them are opened before anything is read, so that
// no work is done whose result cannot be written. No file may be both read and written.
type files struct {
	nodes, pods   *os.File // nil where the sample is used instead
	events, chart *output  // nil if the output was not asked for
}

// openFiles opens the files that the options name. Existing files only change in [output.begin].
func openFiles(o *options, stdout io.Writer) (*files, error) {
	f := &files{}
	err := f.open(o, stdout)
	if err == nil {
		err = f.distinct(o, stdout)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// open opens all files. The error names every file that cannot be opened.
func (f *files) open(o *options, stdout io.Writer) error {
	var errs [4]error
	f.nodes, errs[0] = openInput("-nodes", o.nodes)
	f.pods, errs[1] = openInput("-pods", o.pods)
	f.events, errs[2] = openOutput("-events", o.events, stdout)
	f.chart, errs[3] = openOutput("-chart", o.chart, stdout)
	return errors.Join(errs[:]...)
}

// openInput opens a file for reading. It returns nil for an empty path.
func openInput(name, path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// distinct returns an error if a file would be written that is also read, or written by another flag, under
// any name: another spelling, a link, or standard output.
func (f *files) distinct(o *options, stdout io.Writer) error {
	type opened struct {
		name string
		info os.FileInfo
	}
	var before []opened
	check := func(name string, file *os.File) error {
		if file == nil {
			return nil
		}

		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return nil // writing to a terminal or a pipe destroys nothing
		}
		for _, b := range before {
			if os.SameFile(b.info, info) {
				return fmt.Errorf("%s and %s are the same file, %s", b.name, name, info.Name())
			}
		}
		before = append(before, opened{name, info})
		return nil
	}

	// Names are compared by the files that they lead to.
	screen, _ := stdout.(*os.File)
	return firstOf(
		check("-nodes", f.nodes), check("-pods", f.pods),
		check("-events", f.events.opened()), check("-chart", f.chart.opened()), check("standard output", screen),
	)
}

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// close closes all files, and removes those that were created but never written.
func (f *files) close() {
	for _, in := range []*os.File{f.nodes, f.pods} {
		if in != nil {
			_ = in.Close() // an input has nothing to lose
		}
	}
	f.events.discard()
	f.chart.discard()
}

// output is one file to be written, or standard output.
type output struct {
	name string // the name of the flag
	to   io.Writer
	file *os.File // nil if the output is standard output
	made string   // the path, if the file was created and is still empty
}

// openOutput opens a file for writing and does not change its content. It returns nil for an empty path, and
// standard output for "-".
func openOutput(name, path string, stdout io.Writer) (*output, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return &output{name: name, to: stdout}, nil
	}

	// The file is not emptied yet, because another flag may name it as input, or the run may fail.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	made := ""
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err == nil {
			// If the path is a link to a missing file, the created file is elsewhere.
			made, _ = filepath.EvalSymlinks(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &output{name: name, to: f, file: f, made: made}, nil
}

// opened returns the file, or nil for standard output and for a nil output.
func (o *output) opened() *os.File {
	if o == nil {
		return nil
	}
	return o.file
}

// fill replaces the content of the file by what write writes, and closes the file. A nil output does nothing.
func (o *output) fill(write func(io.Writer) error) error {
	if o == nil {
		return nil
	}

	err := o.begin()
	if err == nil {
		err = write(o.to)
	}
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
		o.file = nil
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return err
}

// begin empties the file.
func (o *output) begin() error {
	o.made = "" // from now on the file is kept
	if o.file == nil {
		return nil
	}
	if info, err := o.file.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil // a pipe has no content to remove
	}
	return o.file.Truncate(0)
}

// discard closes a file that will not be written, and removes it if it was created for that.
func (o *output) discard() {
	if o.opened() == nil {
		return
	}
	_ = o.file.Close() // nothing was written
	o.file = nil
	if o.made != "" {
		_ = os.Remove(o.made)
	}
}

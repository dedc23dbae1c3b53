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

// files are the files that a call reads and writes. All of them are opened before
// anything is read, so that no work is done whose result could not be written,
// and no file is both.
type files struct {
	nodes, pods   *os.File // nil for the sample
	events, chart *output  // nil for none
}

// openFiles opens the files that the options name. It changes no existing file;
// [output.begin] does.
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

// open opens all files, and names every one that cannot be opened.
func (f *files) open(o *options, stdout io.Writer) error {
	var errs [4]error
	f.nodes, errs[0] = openInput("-nodes", o.nodes)
	f.pods, errs[1] = openInput("-pods", o.pods)
	f.events, errs[2] = openOutput("-events", o.events, stdout)
	f.chart, errs[3] = openOutput("-chart", o.chart, stdout)
	return errors.Join(errs[:]...)
}

// openInput opens a file for reading, nil for an empty path.
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

// distinct refuses to write over a file that is also read or written otherwise,
// under any name: another spelling, a link, or standard output.
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
			return nil // a terminal or a pipe keeps nothing that could be lost
		}
		for _, b := range before {
			if os.SameFile(b.info, info) {
				return fmt.Errorf("%s and %s are the same file, %s", b.name, name, info.Name())
			}
		}
		before = append(before, opened{name, info})
		return nil
	}

	// Files of the same device and inode are the same, whatever their names.
	screen, _ := stdout.(*os.File)
	return firstOf(
		check("-nodes", f.nodes), check("-pods", f.pods),
		check("-events", f.events.opened()), check("-chart", f.chart.opened()), check("standard output", screen),
	)
}

// firstOf returns the first error there is.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// close closes everything, and takes away the files that were made and never
// written.
func (f *files) close() {
	for _, in := range []*os.File{f.nodes, f.pods} {
		if in != nil {
			_ = in.Close() // it was only read
		}
	}
	f.events.discard()
	f.chart.discard()
}

// output is one file that is written, or standard output.
type output struct {
	name string // of the flag
	to   io.Writer
	file *os.File // nil for standard output
	made string   // the path, where there was no such file before
}

// openOutput opens a file for writing and leaves what it holds as it is: nil for
// an empty path, standard output for "-".
func openOutput(name, path string, stdout io.Writer) (*output, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return &output{name: name, to: stdout}, nil
	}

	// The file is opened without being emptied: another flag may name it as input, or the run may fail.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	made := ""
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err == nil {
			// Where the path is a link to nowhere, what was made is elsewhere.
			made, _ = filepath.EvalSymlinks(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &output{name: name, to: f, file: f, made: made}, nil
}

// opened returns the file, nil for standard output and for no output.
func (o *output) opened() *os.File {
	if o == nil {
		return nil
	}
	return o.file
}

// fill lets write fill the file anew, and closes it. A nil output takes nothing.
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
	o.made = "" // it stays
	if o.file == nil {
		return nil
	}
	if info, err := o.file.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil // nothing to empty in a pipe
	}
	return o.file.Truncate(0)
}

// discard closes a file that is not written any more, and removes it if it was
// made for that.
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

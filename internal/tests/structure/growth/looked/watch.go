package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/coverage"
)

// watch is a context that uses coverage counters to count what runs between two looks at it. A look is a call
// of Err. Two goroutines must not look at it at once.
type watch struct {
	context.Context
	// looks counts the looks. The context ends with look number last; if last is 0, it never ends.
	looks, last int
	// most is the highest count of a piece of code between two looks, and counters are the counters of that
	// stretch.
	most     uint32
	counters []byte
	err      error
}

// Err counts as one look. The counters restart at its end, so that its own work is not counted.
func (w *watch) Err() error {
	w.look()
	w.err = errors.Join(w.err, coverage.ClearCounters())
	if w.ended() {
		return context.Canceled
	}
	return nil
}

// ended reports whether the context has ended.
func (w *watch) ended() bool { return w.last > 0 && w.looks >= w.last }

// look ends a stretch, and keeps its counters if it is the longest so far.
func (w *watch) look() {
	w.looks++
	var written bytes.Buffer
	if err := coverage.WriteCounters(&written); err != nil {
		w.err = errors.Join(w.err, err)
		return
	}
	most, err := mostOften(written.Bytes())
	w.err = errors.Join(w.err, err)
	if most > w.most {
		w.most, w.counters = most, written.Bytes()
	}
}

// restart clears the counters, so that what prepared a call is not counted.
func restart(ctx context.Context) {
	w := ctx.(*watch)
	w.err = errors.Join(w.err, coverage.ClearCounters())
}

// looked runs a call to its end, and then with contexts that end at some of its looks. It leaves the counters
// of the longest stretch without a look in a folder.
func looked(call func(context.Context) error, dir string) (*stretch, error) {
	whole, err := watched(call, 0)
	if err != nil {
		return nil, err
	}

	longest, out := whole, &stretch{looks: whole.looks}
	for i := range ends {
		w, err := watched(call, 1+whole.looks*i/ends)
		if err != nil {
			return nil, err
		}
		out.after = max(out.after, w.looks-w.last)
		if w.most > longest.most {
			longest = w
		}
	}

	out.most = longest.most
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return out, errors.Join(coverage.WriteMetaDir(dir), longest.leave(dir))
}

// stretch says how a call looks at its context. most is the highest count of a piece of code between two
// looks, looks is the number of looks, and after the largest number of looks after the end of the context.
type stretch struct {
	most         uint32
	looks, after int
}

// ends is the number of contexts with an end that are tried for a call.
const ends = 3

// watched runs a call with a context that ends with look number last, or never if last is 0.
func watched(call func(context.Context) error, last int) (*watch, error) {
	w := &watch{Context: context.Background(), last: last}
	if err := coverage.ClearCounters(); err != nil {
		return nil, err
	}
	if err := call(w); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	w.look()
	return w, w.err
}

// Sizes of the parts of a file of counters, as runtime/coverage writes it.
const (
	headerSize, footerSize = 32, 16
	segmentSize            = 16
)

// leave writes the counters to a file that the go tool finds. Its name has the hash of the meta-data that
// names the code.
func (w *watch) leave(dir string) error {
	return os.WriteFile(fmt.Sprintf("%s/covcounters.%x.1.1", dir, w.counters[8:24]), w.counters, 0o644)
}

// errCounters says that this version of Go writes counters in another form.
var errCounters = errors.New("counters in a form that is not known")

// mostOften returns the highest counter in a file that the runtime has written. Behind the header comes one
// segment: two tables of texts, and for each function the number of its counters, two numbers that name it,
// and the counters.
func mostOften(file []byte) (uint32, error) {
	if len(file) < headerSize+segmentSize+footerSize || string(file[:4]) != "\x00\x63\x77\x6d" || binary.LittleEndian.Uint32(file[4:]) != 1 {
		return 0, errCounters
	}

	raw, big := file[24] == 1, file[25] == 1
	body := file[headerSize : len(file)-footerSize]

	// The tables are skipped. What follows them is aligned to four bytes.
	functions := binary.LittleEndian.Uint64(body)
	at := segmentSize + int(binary.LittleEndian.Uint32(body[8:])) + int(binary.LittleEndian.Uint32(body[12:]))
	at = (at + 3) / 4 * 4

	// Numbers are either of variable length or four bytes in one of two orders.
	next := func() (v uint32) {
		switch {
		case !raw:
			long, n := binary.Uvarint(body[at:])
			at += n
			return uint32(long)

		case big:
			v = binary.BigEndian.Uint32(body[at:])
		default:
			v = binary.LittleEndian.Uint32(body[at:])
		}
		at += 4
		return v
	}

	most := uint32(0)
	for range functions {
		counters := next()
		next()
		next()
		for range counters {
			most = max(most, next())
		}
	}

	// Whatever is left means that the form was misread.
	if at != len(body) {
		return 0, errCounters
	}
	return most, nil
}

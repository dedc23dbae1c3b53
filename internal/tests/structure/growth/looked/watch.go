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

// watch is a context that counts, by the counters of the code, what runs between two looks at it, and after
// its end. It must not be asked by two goroutines at once.
type watch struct {
	context.Context
	// looks are counted; the context ends with the last one, unless that is 0.
	looks, last int
	// most is how often the piece of code ran that ran most between two looks. The counters of that
	// stretch are kept.
	most     uint32
	counters []byte
	err      error
}

// Err is one look. What a context does itself is not counted.
func (w *watch) Err() error {
	w.look()
	w.err = errors.Join(w.err, coverage.ClearCounters())
	if w.ended() {
		return context.Canceled
	}
	return nil
}

func (w *watch) ended() bool { return w.last > 0 && w.looks >= w.last }

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

// restart forgets what ran since the last look: a call has to be prepared.
func restart(ctx context.Context) {
	w := ctx.(*watch)
	w.err = errors.Join(w.err, coverage.ClearCounters())
}

// looked runs a call, first to its end and then with contexts that end at some looks, and leaves the counters of
// its longest stretch without a look in a folder.
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

// stretch says how a call looks at its context: how often the piece of code ran that ran most between two looks,
// how many looks there were, and how many at most after the end of the context.
type stretch struct {
	most         uint32
	looks, after int
}

// ends is how many contexts that end are tried for a call.
const ends = 3

// watched runs a call with a context that ends with a look, 0 for none.
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

// counterFile is the head of a file of counters, as the go tool reads it.
const (
	headerSize, footerSize = 32, 16
	segmentSize            = 16
)

// leave writes the counters where the go tool finds them, beside what names the code.
func (w *watch) leave(dir string) error {
	return os.WriteFile(fmt.Sprintf("%s/covcounters.%x.1.1", dir, w.counters[8:24]), w.counters, 0o644)
}

var errCounters = errors.New("counters in a form that is not known")

// mostOften returns the highest of the counters that the runtime has written: behind the header one segment,
// with texts, and for each function the number of its counters, two numbers that name it, and the counters.
func mostOften(file []byte) (uint32, error) {
	if len(file) < headerSize+segmentSize+footerSize || string(file[:4]) != "\x00\x63\x77\x6d" || binary.LittleEndian.Uint32(file[4:]) != 1 {
		return 0, errCounters
	}
	raw, big := file[24] == 1, file[25] == 1
	body := file[headerSize : len(file)-footerSize]
	functions := binary.LittleEndian.Uint64(body)
	at := segmentSize + int(binary.LittleEndian.Uint32(body[8:])) + int(binary.LittleEndian.Uint32(body[12:]))
	at = (at + 3) / 4 * 4
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
	if at != len(body) {
		return 0, errCounters
	}
	return most, nil
}

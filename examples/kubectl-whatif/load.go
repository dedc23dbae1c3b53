package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/outrank-go/outrank"
)

// load reads the cluster that the options name.
func load(opts *options, stdin io.Reader, stderr io.Writer) (*outrank.Cluster, error) {
	in, size, done, err := openCluster(opts, stdin)
	if err != nil {
		return nil, err
	}
	defer done()
	bar := &progress{in: in, to: stderr, name: opts.source(), total: size, on: isTerminal(stderr), shown: time.Now()}
	defer bar.end()
	text, err := unzipped(bar)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opts.source(), err)
	}
	cluster, err := outrank.ReadCluster(text)
	if err != nil {
		return nil, unusable(opts.source(), err)
	}
	if len(cluster.Nodes) == 0 {
		return nil, noNodes(opts.source(), cluster)
	}
	return cluster, nil
}

func noNodes(source string, c *outrank.Cluster) error {
	if len(c.Pods) == 0 && len(c.Skipped) == 0 && c.Finished == 0 {
		return fmt.Errorf("%s is empty; fill it with %s", source, dumpCommand)
	}
	return fmt.Errorf("%s: the dump holds no nodes; did you forget nodes in %s?", source, dumpCommand)
}

// openCluster returns the dump, its size where it is known, and how to close it.
func openCluster(opts *options, stdin io.Reader) (io.Reader, int64, func() error, error) {
	nothing := func() error { return nil }
	switch opts.cluster {
	case "":
		return sampleReader(), 0, nothing, nil
	case "-":
		f, _ := stdin.(*os.File)
		return stdin, sizeOf(f), nothing, nil
	}
	f, err := os.Open(opts.cluster)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("--cluster: %w", err)
	}
	return f, sizeOf(f), f.Close, nil
}

// sizeOf is 0 for anything but a regular file, a pipe for example.
func sizeOf(f *os.File) int64 {
	if f == nil {
		return 0
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// unzipped looks at the first bytes and not at the name, so that a gzipped dump
// may come through a pipe.
func unzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<18)
	head, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return z, nil
	}
	return b, nil
}

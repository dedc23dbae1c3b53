package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
)

// load reads the cluster that the options name. A cluster without nodes is an error.
func load(opts *options, stdin io.Reader, stderr io.Writer) (*loaded, error) {
	l, err := opts.readCluster(stdin, stderr)
	if err != nil {
		return nil, err
	}
	if len(l.Nodes) == 0 {
		return nil, noNodes(opts.source(), l.Cluster)
	}
	return l, nil
}

// readCluster reads the sample, asks kubectl, or reads one or several files as one cluster.
func (o *options) readCluster(stdin io.Reader, stderr io.Writer) (*loaded, error) {
	bar := newProgress(stderr, o.source())
	defer bar.end()
	if o.sampled() {
		return readOne(o.source(), sampleReader(o.sample))
	}
	if o.asksKubectl() {
		return o.askKubectl(bar, stderr)
	}

	files, err := input.Expand(o.clusters, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", o.reads(), err)
	}

	open := func(name string) (io.Reader, func() error, error) {
		r, size, done, err := input.Open(name, stdin)
		if err != nil {
			return nil, nil, fmt.Errorf("--%s: %w", o.reads(), err)
		}
		return bar.through(r, size), done, nil
	}

	// A single file is read as a stream. Several files have to be compared object by object.
	if len(files) > 1 {
		return readSeveral(o.source(), files, open)
	}
	r, done, err := open(files[0])
	if err != nil {
		return nil, err
	}
	defer done()
	return readOne(input.Called(files[0]), r)
}

// reads returns the flag that names the files to read: --diff for the cluster as it was earlier, otherwise
// --cluster.
func (o *options) reads() string {
	if o.set["diff"] && !o.set["cluster"] {
		return "diff"
	}
	return "cluster"
}

// askKubectl lets kubectl print the cluster and reads that.
func (o *options) askKubectl(bar *progress, stderr io.Writer) (l *loaded, err error) {
	from := live.Cluster{Context: o.context, Kubeconfig: o.kubeconfig}
	if o.set["release"] && o.release.Gates()[groupGate] {
		// A server without the gate would refuse a request for kinds that it does not know.
		from.More = groupKinds
	}

	warnings, err := from.Read(context.Background(), func(r io.Reader) (err error) {
		l, err = readOne(o.source(), bar.through(r, 0))
		return err
	})

	// The progress line is wiped before anything else is written to standard error.
	bar.end()
	for _, text := range warnings {
		fmt.Fprintln(stderr, "whatif: warning:", screen.Safe(text))
	}
	return l, err
}

// settleNamespace takes the namespace of kubectl's context if kubectl is asked and no flag names a
// namespace, as kubectl itself does.
func (o *options) settleNamespace() {
	if !o.asksKubectl() || o.set["namespace"] || strings.Contains(o.pending, "/") {
		return
	}
	if name := (live.Cluster{Context: o.context, Kubeconfig: o.kubeconfig}).Namespace(context.Background()); name != "" {
		o.pod.namespace = name
	}
}

// readOne reads a file as a stream. JSON needs no copy of its text.
func readOne(name string, r io.Reader) (*loaded, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}

	read := bufio.NewReader(text)
	if blank(read) {
		// The caller reports a cluster without nodes, and says how to fill the file.
		return &loaded{Cluster: &outrank.Cluster{}}, nil
	}

	l, err := readAll(read)
	if err != nil {
		return nil, console.Unusable(name, err)
	}
	return l, nil
}

// blank skips white space, and reports whether nothing else is left.
func blank(r *bufio.Reader) bool {
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return err == io.EOF
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			return r.UnreadByte() != nil
		}
	}
}

// readSeveral reads files as one cluster.
func readSeveral(name string, files []string, open func(string) (io.Reader, func() error, error)) (*loaded, error) {
	all := input.Merge(files, open).Reader()
	defer all.Close()
	l, err := readAll(all)

	// The error names a place in the joined text. A file that can be opened again is read once more by itself,
	// so that the message names a place in that file.
	var in *input.FileError
	switch {
	case err == nil:
		return l, nil
	case errors.As(err, &in) && errors.Is(err, input.ErrSyntax) && in.File != input.Stdin:
		return nil, closerLook(in)
	case errors.As(err, &in):
		return nil, in
	}
	return nil, console.Unusable(name, err)
}

// closerLook reads a file that is no JSON once more by itself, so that the library describes the mistake.
func closerLook(in *input.FileError) error {
	f, err := input.OpenFile(in.File)
	if err != nil {
		return in
	}
	defer f.Close()
	if _, err := readOne(in.File, f); err != nil {
		return err
	}
	return in
}

// noNodes returns the error about a cluster without nodes. It tells an empty dump from one that lacks only
// nodes.
func noNodes(source string, c *outrank.Cluster) error {
	others := len(c.Budgets) + len(c.Classes) + len(c.Namespaces) + len(c.Claims) + len(c.Groups) + len(c.Composites)
	if len(c.Pods)+len(c.Skipped)+c.Finished+others == 0 {
		return fmt.Errorf("%s is empty; fill it with %s", source, dumpCommand)
	}
	return fmt.Errorf("%s: the dump holds no nodes; did you forget nodes in %s?", source, dumpCommand)
}

// Package trace answers which nodes a run's cluster has, and which pods arrive there. A worker reads each trace
// once, and keeps the last few.
package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/preemption/kube"
)

// Trace is the input of a run. It is shared, and only read.
type Trace struct {
	// Cluster has the nodes and, for a dump, everything else in it.
	Cluster *outrank.Cluster
	// Items are the pods that arrive. It is nil for a dump, whose pods are in Cluster.
	Items []workload.Item
}

// kept is the most traces that a worker keeps in memory.
const kept = 2

// entry is a trace that is read only once: the first caller reads it, and others wait.
type entry struct {
	key   string
	once  sync.Once
	trace *Trace
	err   error
}

var (
	mu      sync.Mutex
	entries []*entry // in the order in which they were last used
)

// Load returns a trace with the priorities of a mapping. Several goroutines may call it at once. An error is
// not cached.
func Load(ctx context.Context, t *spec.Trace, classes workload.Classes) (*Trace, error) {
	e := entryFor(t, classes)
	e.once.Do(func() { e.trace, e.err = read(ctx, t, classes) })

	// After an error the next caller tries again: the context may have ended, or the file may appear later.
	if e.err != nil {
		forget(e)
		return nil, fmt.Errorf("trace %s: %w", t.Name, e.err)
	}
	return e.trace, nil
}

// entryFor returns the entry of a trace, or a new one if it is not kept, and moves it to the end. It copies
// slices instead of modifying them.
func entryFor(t *spec.Trace, classes workload.Classes) *entry {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // plain data always has a JSON form
	}
	key := string(text) + classes.String()

	mu.Lock()
	defer mu.Unlock()
	for i, e := range entries {
		if e.key == key {
			entries = append(append(entries[:i:i], entries[i+1:]...), e)
			return e
		}
	}

	// The least recently used entry is dropped. Runs that still use its trace keep it alive.
	e := &entry{key: key}
	if len(entries) == kept {
		entries = entries[1:]
	}
	entries = append(entries[:len(entries):len(entries)], e)
	return e
}

// forget drops an entry.
func forget(gone *entry) {
	mu.Lock()
	defer mu.Unlock()
	for i, e := range entries {
		if e == gone {
			entries = append(entries[:i:i], entries[i+1:]...)
			return
		}
	}
}

// read reads a trace, one row or object at a time.
func read(ctx context.Context, t *spec.Trace, classes workload.Classes) (*Trace, error) {
	nodeConfig := workload.NodeConfig{PodsPerNode: t.PodsPerNode}
	switch {
	case t.Sample:
		return made(workload.SampleNodes(nodeConfig))(workload.SamplePods(classes))
	case t.Generate != nil:
		return generate(t.Generate, classes)
	case t.Dump != "":
		cluster, err := open(ctx, t.Dump, func(r io.Reader) (*outrank.Cluster, error) { return kube.ReadCluster(r) })
		if err != nil {
			return nil, err
		}
		return &Trace{Cluster: cluster}, nil
	}
	nodes, nodesErr := open(ctx, t.Nodes, func(r io.Reader) ([]*outrank.Node, error) { return workload.ReadNodes(r, t.Nodes, nodeConfig) })
	items, itemsErr := open(ctx, t.Pods, func(r io.Reader) ([]workload.Item, error) { return workload.ReadPods(r, t.Pods, classes) })
	return made(every(nodes, t.Every), nodesErr)(every(items, t.Every), itemsErr)
}

// every returns every n-th element, beginning with the first. It returns all if n is 0.
func every[T any](all []T, n int) []T {
	if n == 0 {
		return all
	}
	var out []T
	for i := 0; i < len(all); i += n {
		out = append(out, all[i])
	}
	return out
}

// made combines the two halves of a trace.
func made(nodes []*outrank.Node, nodesErr error) func([]workload.Item, error) (*Trace, error) {
	return func(items []workload.Item, itemsErr error) (*Trace, error) {
		if err := errors.Join(nodesErr, itemsErr); err != nil {
			return nil, err
		}
		return &Trace{Cluster: &outrank.Cluster{Nodes: nodes}, Items: items}, nil
	}
}

// open reads a file of any file system that Beam supports.
func open[T any](ctx context.Context, path string, read func(io.Reader) (T, error)) (out T, err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return out, err
	}
	defer fs.Close()
	f, err := fs.OpenRead(ctx, path)
	if err != nil {
		return out, err
	}
	defer f.Close()
	return read(f)
}

package kube

import (
	"runtime"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/work"
)

// Most of a dump is pods, and a pod can be read without the objects before it. A
// crew collects objects in batches, in the order of the dump, has workers read
// the pods of a batch, and then adds its objects to the cluster in that order. So
// the cluster and all messages are those of one object after another.
type crew struct {
	rd     *reader
	full   int      // bytes of a full batch, so many for each object counted
	open   *batch   // takes the objects that come
	due    []*batch // given to workers and not yet added, the oldest first
	spare  []*batch
	given  int
	jobs   chan *batch // nil until there are workers
	others sync.WaitGroup
	panics work.Panics
}

// batch is some objects of a dump, as text.
type batch struct {
	place int // among the batches
	text  []byte
	items []held
	pods  []podRead // of the pods among the items
	done  chan struct{}
}

// held is an object in the text of a batch.
type held struct {
	of       manifest.Item // without the text
	from, to int
}

// podRead is a pod that a worker has read, with its problems.
type podRead struct {
	pod      *outrank.Pod
	problems []outrank.Problem
	more     int
	asOf     time.Time
}

const (
	batchText = 128 << 10
	itemSize  = 100
	// mostHanded is the size of the largest object that is handed to a worker, so
	// that several workers do not take the memory of larger ones at once.
	mostHanded = 64 << 10
	mostCrew   = 8
)

// add takes the next object of the dump.
func (c *crew) add(it manifest.Item) error {
	if len(it.Raw) > mostHanded {
		c.addAll()
		return c.rd.item(it)
	}
	if c.open == nil {
		c.open = c.newBatch()
	}
	b := c.open
	from := len(b.text)
	b.text = append(b.text, it.Raw...)
	it.Raw = nil
	b.items = append(b.items, held{it, from, len(b.text)})
	if len(b.text)+itemSize*len(b.items) >= c.full {
		c.hand()
	}
	return nil
}

func (c *crew) newBatch() *batch {
	b := &batch{}
	if n := len(c.spare); n > 0 {
		b, c.spare = c.spare[n-1], c.spare[:n-1]
		clear(b.pods)
		b.text, b.items, b.pods = b.text[:0], b.items[:0], b.pods[:0]
	}
	b.place, b.done = c.given, make(chan struct{})
	c.given++
	return b
}

// hand gives the open batch to the workers. Where many wait to be added the
// oldest is added first, so that no more than a few are in memory.
func (c *crew) hand() {
	workers := min(mostCrew, runtime.GOMAXPROCS(0))
	if c.jobs == nil {
		c.jobs = make(chan *batch, workers+1)
		for range workers {
			c.others.Go(c.work)
		}
	}
	if len(c.due) == cap(c.jobs) {
		c.addOldest()
	}
	c.due = append(c.due, c.open)
	c.jobs <- c.open
	c.open = nil
}

// work reads the pods of batches until there are no more.
func (c *crew) work() {
	own := newReader()
	for b := range c.jobs {
		c.panics.Catch(b.place, func() {
			defer close(b.done)
			for _, h := range b.items {
				if h.of.Kind == kindPod {
					b.pods = append(b.pods, own.podAlone(h.item(b)))
				}
			}
		})
	}
}

func (h *held) item(b *batch) manifest.Item {
	it := h.of
	it.Raw = b.text[h.from:h.to:h.to]
	return it
}

// podAlone reads a pod without keeping state.
func (rd *reader) podAlone(it manifest.Item) podRead {
	rd.problems, rd.more, rd.cluster.AsOf = nil, 0, time.Time{}
	p := rd.pod(it)
	return podRead{p, rd.problems, rd.more, rd.cluster.AsOf}
}

// addOldest waits for the oldest batch and adds its objects to the cluster.
func (c *crew) addOldest() {
	b := c.due[0]
	c.due = append(c.due[:0], c.due[1:]...)
	<-b.done
	if c.panics.Any() {
		c.stop()
		c.panics.Raise()
	}
	pods := b.pods
	for _, h := range b.items {
		if h.of.Kind != kindPod {
			_ = c.rd.item(h.item(b)) // never an error
			continue
		}
		c.rd.take(&pods[0])
		pods = pods[1:]
	}
	c.spare = append(c.spare, b)
}

// take adds a pod that a worker has read.
func (rd *reader) take(p *podRead) {
	rd.keep(p.problems...)
	rd.more += p.more
	latest(&rd.cluster.AsOf, p.asOf)
	rd.addPod(p.pod)
}

// addAll adds all objects that have come. A batch that is not full is not worth a worker.
func (c *crew) addAll() {
	for len(c.due) > 0 {
		c.addOldest()
	}
	if b := c.open; b != nil {
		for _, h := range b.items {
			_ = c.rd.item(h.item(b))
		}
		c.open = nil
		c.spare = append(c.spare, b)
	}
}

// stop ends the workers.
func (c *crew) stop() {
	if c.jobs != nil {
		close(c.jobs)
		c.others.Wait()
		c.jobs = nil
	}
}

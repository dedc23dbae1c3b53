package kube

import (
	"runtime"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/work"
)

// crew reads the pods of a dump on several cores. A dump consists mostly of pods, and a pod can be read without the
// objects before it. The crew collects objects in batches, in the order of the dump. Workers read the pods of a
// batch, and then the crew adds all objects of the batch to the cluster in the original order. So the cluster and all
// messages are the same as if one object were read after the other.
type crew struct {
	rd *reader
	// full is the size of a full batch: its text and itemSize for each object.
	full int
	// open is the batch that takes the next object. It is nil if that object has to begin a batch.
	open *batch
	// due lists the batches that were given to workers and are not added yet, the oldest first.
	due []*batch
	// spare lists batches that were added, whose memory can be used again.
	spare []*batch
	// begun is the number of batches so far.
	begun int
	// jobs passes batches to the workers. It is nil before the workers are started.
	jobs   chan *batch
	others sync.WaitGroup
	panics work.Panics
}

// batch holds some objects of a dump, as text.
type batch struct {
	// place is the number of the batch in the dump, from 0 on.
	place int
	text  []byte
	items []held
	// pods lists the pods among the items, in their order. It is complete once done is closed.
	pods []podRead
	done chan struct{}
}

// held is an object in a batch. Its text is batch.text[from:to].
type held struct {
	of       manifest.Item // Raw is nil
	from, to int
}

// podRead is a pod that a worker has read, with its problems and its fields that are not followed.
type podRead struct {
	pod      *outrank.Pod
	problems []outrank.Problem
	more     int
	unread   []outrank.Problem
	asOf     time.Time
}

const (
	// batchText is the size of a full batch, in bytes.
	batchText = 128 << 10
	// itemSize estimates the memory of an object in a batch besides its text, in bytes.
	itemSize = 100
	// mostHanded is the size in bytes of the largest object that is passed to a worker. Larger objects are read one
	// at a time, so that only one of them is in memory.
	mostHanded = 64 << 10
	// mostCrew is the largest number of workers.
	mostCrew = 8
)

// add takes the next object of the dump.
func (c *crew) add(it manifest.Item) error {
	// A large object is read here. Everything before it is added first, so that the order is kept.
	if len(it.Raw) > mostHanded {
		c.addAll()
		return c.rd.item(it)
	}

	// The text is copied, because the decoder reuses its memory for the next object.
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

// newBatch begins a batch. It reuses the memory of a spare one if there is any.
func (c *crew) newBatch() *batch {
	b := &batch{}
	if n := len(c.spare); n > 0 {
		b, c.spare = c.spare[n-1], c.spare[:n-1]
		clear(b.pods) // so that the memory of these pods can be freed
		b.text = b.text[:0]
		b.items, b.pods = b.items[:0], b.pods[:0]
	}

	b.place, b.done = c.begun, make(chan struct{})
	c.begun++
	return b
}

// hand passes the open batch to the workers, and starts them at the first call. If as many batches are due as jobs
// has room for, the oldest is added first. So few batches are in memory, and sending never blocks.
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

// work reads the pods of batches until jobs is closed. Each worker has a reader of its own. If reading a batch panics,
// done is closed all the same, and the panic is raised again when the batch is added.
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

// item returns the object with its text.
func (h *held) item(b *batch) manifest.Item {
	it := h.of
	it.Raw = b.text[h.from:h.to:h.to]
	return it
}

// podAlone reads one pod, and returns it together with its own problems and its own AsOf.
func (rd *reader) podAlone(it manifest.Item) podRead {
	rd.problems, rd.more, rd.cluster.Unread, rd.cluster.AsOf = nil, 0, nil, time.Time{}
	p := rd.pod(it)
	return podRead{p, rd.problems, rd.more, rd.cluster.Unread, rd.cluster.AsOf}
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
			_ = c.rd.item(h.item(b)) // item never returns an error
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
	rd.keepUnread(p.unread...)
	latest(&rd.cluster.AsOf, p.asOf)
	rd.addPod(p.pod)
}

// addAll adds all objects collected so far. It reads the objects of the open batch itself.
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

// stop ends the workers and waits for them.
func (c *crew) stop() {
	if c.jobs != nil {
		close(c.jobs)
		c.others.Wait()
		c.jobs = nil
	}
}

package execution

import (
	"container/list"
	"context"
	"sync"

	"github.com/outrank-go/outrank"
)

// evictions are the evictions in progress of one executor, so that no victim is
// evicted twice. A victim is claimed before its eviction and settled after it. An
// evicted victim is remembered until it is gone. Any number of goroutines may use
// it at once.
type evictions struct {
	mu sync.Mutex
	// byID has the victims that are claimed and those that are remembered.
	byID map[string]*evictionClaim
	// remembered are the latter, each an *evictionClaim, the oldest first; limit is the
	// largest number of them.
	remembered *list.List
	limit      int
}

// evictionClaim is one attempt to evict a victim.
type evictionClaim struct {
	// id is the victim.
	id string
	// settled is closed once the claim is settled; nil where nobody waits for that. over is
	// set then, and worked says whether nothing is left to do about the victim.
	settled      chan struct{}
	over, worked bool
	// gone is set when the victim was reported gone in the meantime.
	gone bool
	// place is the place in the list of remembered victims; nil before that.
	place *list.Element
}

func newEvictions(limit int) *evictions {
	return &evictions{byID: map[string]*evictionClaim{}, remembered: list.New(), limit: limit}
}

// claim takes the victim for the caller, which must settle it. Where another call
// has claimed the victim, it waits until that claim is settled: if that worked
// the result is nil, else the victim is free again and may become the caller's
// after all. The error is the context's.
//
// No call waits while it holds a claim, so two can never wait for each other.
func (ev *evictions) claim(ctx context.Context, id string) (*evictionClaim, error) {
	for {
		own, other := ev.tryClaim(id)
		if own != nil {
			return own, nil
		}
		select {
		case <-other.settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if other.worked {
			return nil, nil
		}
	}
}

// tryClaim returns a new claim, or the other call's claim where there is one.
func (ev *evictions) tryClaim(id string) (own, other *evictionClaim) {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if c, ok := ev.byID[id]; ok {
		if c.settled == nil {
			if c.settled = make(chan struct{}); c.over {
				close(c.settled)
			}
		}
		return nil, c
	}
	c := &evictionClaim{id: id}
	ev.byID[id] = c
	return c, nil
}

// settle ends a claim. The victim is remembered only where it was Evicted: a
// victim that was rejected may come back, and one that was not found is gone.
func (ev *evictions) settle(c *evictionClaim, result EvictionResult) {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	c.over, c.worked = true, result.Done()
	if result == Evicted && !c.gone {
		c.place = ev.remembered.PushBack(c)
		ev.trim()
	} else {
		delete(ev.byID, c.id)
	}
	if c.settled != nil {
		close(c.settled)
	}
}

// trim forgets the oldest remembered victims beyond the limit.
func (ev *evictions) trim() {
	for ev.remembered.Len() > ev.limit {
		oldest := ev.remembered.Remove(ev.remembered.Front()).(*evictionClaim)
		delete(ev.byID, oldest.id)
	}
}

// forget drops a victim that is gone.
func (ev *evictions) forget(id string) {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	c, ok := ev.byID[id]
	switch {
	case !ok:
	case c.place == nil:
		c.gone = true
	default:
		ev.remembered.Remove(c.place)
		delete(ev.byID, id)
	}
}

// size is the number of victims that are claimed or remembered.
func (ev *evictions) size() int {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	return len(ev.byID)
}

// identityOf returns what identifies a pod: the UID, or namespace/name for a
// pod without one. No UID has a slash in it.
func identityOf(p *outrank.Pod) string {
	if p.UID != "" {
		return p.UID
	}
	return string(p.Key())
}

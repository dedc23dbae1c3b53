package execution

import (
	"context"
	"sync"

	"github.com/outrank-go/outrank"
)

// evictions keeps track of the evictions of one executor, so that no victim is evicted twice. A victim is
// claimed before its eviction, and the claim is settled after it. An evicted victim is remembered until it is
// gone. Any number of goroutines may use evictions at once.
type evictions struct {
	mu sync.Mutex
	// byID has the claims that are not settled and the claims of remembered victims, by identity.
	byID map[string]*evictionClaim
	// oldest and latest are the ends of the chain of remembered victims, nil if there are none.
	oldest, latest *evictionClaim
	// remembered is the length of the chain, which is at most limit.
	remembered, limit int
}

// evictionClaim is one attempt to evict a victim.
type evictionClaim struct {
	// id identifies the victim.
	id string
	// settled is closed once the claim is settled. It is nil while no call waits for that.
	settled chan struct{}
	// over says that the claim is settled. worked then says that nothing is left to do about the victim.
	over, worked bool
	// gone says that the victim was reported gone before the claim was settled.
	gone bool
	// remembered says that the victim is in the chain. earlier and later are its neighbours
	// there, nil at the ends.
	remembered     bool
	earlier, later *evictionClaim
}

func newEvictions(limit int) *evictions {
	return &evictions{byID: map[string]*evictionClaim{}, limit: limit}
}

// claim reserves a victim for the caller, which must settle the claim. If another call has claimed the victim,
// claim waits until that claim is settled. If the other eviction worked the result is nil; otherwise the victim
// is free again and the caller may get it after all. The error is the context's.
//
// No call waits while it holds a claim, so two calls can never wait for each other.
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

// tryClaim returns a new claim or, if the victim is claimed or remembered, the existing one, whose channel
// settled is not nil then.
func (ev *evictions) tryClaim(id string) (own, other *evictionClaim) {
	ev.mu.Lock()
	defer ev.mu.Unlock()

	// Most claims are never waited for, so the channel is made for the first call that waits. A remembered
	// victim's claim is settled already, so its channel is closed from the start.
	if c, ok := ev.byID[id]; ok {
		if c.settled == nil {
			c.settled = make(chan struct{})
			if c.over {
				close(c.settled)
			}
		}
		return nil, c
	}

	c := &evictionClaim{id: id}
	ev.byID[id] = c
	return c, nil
}

// settle ends a claim. The victim is remembered only if it was Evicted: a victim that was rejected may come
// back, and a victim that was not found is gone.
func (ev *evictions) settle(c *evictionClaim, result Result) {
	ev.mu.Lock()
	defer ev.mu.Unlock()

	c.over, c.worked = true, result.done()
	if result == Evicted && !c.gone {
		ev.remember(c)
	} else {
		delete(ev.byID, c.id)
	}
	if c.settled != nil {
		close(c.settled)
	}
}

// remember puts a victim at the end of the chain, and forgets the oldest beyond the limit.
func (ev *evictions) remember(c *evictionClaim) {
	c.remembered, c.earlier = true, ev.latest
	if ev.latest == nil {
		ev.oldest = c
	} else {
		ev.latest.later = c
	}
	ev.latest = c

	ev.remembered++
	for ev.remembered > ev.limit {
		ev.drop(ev.oldest)
	}
}

// drop forgets a victim that is remembered.
func (ev *evictions) drop(c *evictionClaim) {
	if c.earlier == nil {
		ev.oldest = c.later
	} else {
		c.earlier.later = c.later
	}
	if c.later == nil {
		ev.latest = c.earlier
	} else {
		c.later.earlier = c.earlier
	}

	c.remembered = false
	c.earlier, c.later = nil, nil
	ev.remembered--
	delete(ev.byID, c.id)
}

// forget drops a victim that is gone. If its eviction is under way, settle will not remember it.
func (ev *evictions) forget(id string) {
	ev.mu.Lock()
	defer ev.mu.Unlock()

	c, ok := ev.byID[id]
	switch {
	case !ok:
		// The pod was no victim.
	case !c.remembered:
		c.gone = true
	default:
		ev.drop(c)
	}
}

// identityOf returns the identity of a pod: its UID, or namespace/name for a pod without one. The two cannot
// be mixed up, because no UID has a slash in it.
func identityOf(p *outrank.Pod) string {
	if p.UID != "" {
		return p.UID
	}
	return string(p.Key())
}

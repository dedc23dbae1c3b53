package execution

import (
	"container/list"
	"context"
	"sync"

	"github.com/outrank-go/outrank"
)

// leaving is the victims that are on their way out because of an executor, so
// that none is pushed twice. A victim is in flight from claim to settle, and
// kept after that until it is gone. Any number of goroutines may use it.
type leaving struct {
	mu sync.Mutex
	// byID has the victims in flight and those that are kept.
	byID map[string]*victimClaim
	// kept are the identities of the latter, the oldest first; limit is how
	// many there may be.
	kept  *list.List
	limit int
}

// victimClaim is one attempt to push a victim.
type victimClaim struct {
	// done is closed once it is settled; worked then says how it went.
	done   chan struct{}
	worked bool
	// gone is set when the victim was reported gone in the meantime.
	gone bool
	// place is in the list of those kept; nil in flight.
	place *list.Element
}

func newLeaving(limit int) *leaving {
	return &leaving{byID: map[string]*victimClaim{}, kept: list.New(), limit: limit}
}

// claim takes the victim for the caller, who must settle it. Where somebody
// else has it, it waits for how that goes: if it worked the answer is nil, else
// the victim is free again and may be the caller's after all. The error is the
// context's.
//
// Nobody waits while holding a claim, so that no two can wait for each other.
func (l *leaving) claim(ctx context.Context, id string) (*victimClaim, error) {
	for {
		mine, theirs := l.tryClaim(id)
		if mine != nil {
			return mine, nil
		}
		select {
		case <-theirs.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if theirs.worked {
			return nil, nil
		}
	}
}

func (l *leaving) tryClaim(id string) (mine, theirs *victimClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.byID[id]; ok {
		return nil, c
	}
	c := &victimClaim{done: make(chan struct{})}
	l.byID[id] = c
	return c, nil
}

// settle ends a claim. The victim is kept in mind only where it is Evicted: one
// that is rejected may come back, and one that was not found is gone.
func (l *leaving) settle(id string, c *victimClaim, deed Deed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.worked = deed.Done()
	if deed == Evicted && !c.gone {
		c.place = l.kept.PushBack(id)
		l.shorten()
	} else {
		delete(l.byID, id)
	}
	close(c.done)
}

// shorten forgets the oldest of those kept that are too many.
func (l *leaving) shorten() {
	for l.kept.Len() > l.limit {
		id := l.kept.Remove(l.kept.Front()).(string)
		delete(l.byID, id)
	}
}

// forget is told that a victim is gone.
func (l *leaving) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.byID[id]
	switch {
	case !ok:
	case c.place == nil:
		c.gone = true
	default:
		l.kept.Remove(c.place)
		delete(l.byID, id)
	}
}

// len is the number of victims kept or in flight.
func (l *leaving) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.byID)
}

// identityOf tells pods apart: the UID, or namespace/name for a pod without one.
// No UID has a slash in it.
func identityOf(p *outrank.Pod) string {
	if p.UID != "" {
		return p.UID
	}
	return p.Key()
}

package plugin

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// carrying performs the actions of the executor. It keeps the flights informed and posts each event in the name
// of the preemptor's profile.
type carrying struct {
	*actions.Client
	under *underway

	mu sync.Mutex
	// recorders post the events of the profiles, by scheduler name.
	recorders map[string]events.EventRecorder
	// tellers maps the UID of a victim to the profile that told it to go, until the event about it is posted.
	tellers map[string]string
}

func newCarrying(handle fwk.Handle, under *underway) (*carrying, error) {
	client, err := actions.New(actions.Config{
		API: handle.ClientSet(), Pods: handle.SharedInformerFactory().Core().V1().Pods().Lister(), Scheduler: memory{handle},
	})
	if err != nil {
		return nil, err
	}
	return &carrying{Client: client, under: under, recorders: map[string]events.EventRecorder{}, tellers: map[string]string{}}, nil
}

// actions returns the actions of the client. Reject, Evict, Event and Activate are carrying's own.
func (c *carrying) actions() execution.Actions {
	all := c.Client.Actions()
	all.Reject, all.Evict, all.Event, all.Activate = c.Reject, c.Evict, c.Event, c.Activate
	return all
}

// add makes the recorder of a profile known.
func (c *carrying) add(handle fwk.Handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if recorder := handle.EventRecorder(); recorder != nil {
		c.recorders[handle.ProfileName()] = recorder
	}
}

// profileKey is the context's key of the profile that carries a plan out.
type profileKey struct{}

// asProfile returns a context in which actions are taken in the name of the profile.
func asProfile(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, profileKey{}, name)
}

// told records that the profile of the context has told the victim to go.
func (c *carrying) told(ctx context.Context, victim *outrank.Pod) {
	name, _ := ctx.Value(profileKey{}).(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tellers[victim.UID] = name
}

// Reject rejects a victim that waits, and records it if that succeeds.
func (c *carrying) Reject(ctx context.Context, victim *outrank.Pod) (bool, error) {
	rejected, err := c.Client.Reject(ctx, victim)
	if rejected {
		c.under.reject(victim.UID)
		c.told(ctx, victim)
	}
	return rejected, err
}

// Evict tells the victim to go, and records the profile that did.
func (c *carrying) Evict(ctx context.Context, e execution.Eviction) error {
	err := c.Client.Evict(ctx, e)
	if err == nil {
		c.told(ctx, e.Victim)
	}
	return err
}

// Event posts an event about a victim, with the recorder of the profile that told it to go.
func (c *carrying) Event(e outrank.Event) {
	client := &actions.Client{Config: c.Config}
	client.Events = c.teller(e.Pod)
	client.Event(e)
}

// teller returns the recorder of the profile that told the victim to go, and forgets the profile.
func (c *carrying) teller(victim *outrank.Pod) events.EventRecorder {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.tellers[victim.UID]
	delete(c.tellers, victim.UID)
	return c.recorders[name]
}

// Activate lets the pod be tried again. PreEnqueue must no longer keep it out by then.
func (c *carrying) Activate(pod *outrank.Pod) {
	c.under.end(types.UID(pod.UID))
	c.Client.Activate(pod)
}

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

// carrying are the actions of the executor, which keep the flights informed and
// post each event as the profile of the preemptor.
type carrying struct {
	*actions.Client
	under *underway

	mu sync.Mutex
	// recorders post the events of the profiles, by scheduler name.
	recorders map[string]events.EventRecorder
	// tellers are the profiles that have told victims to go, by the UID of the victim, until the
	// event about it is posted.
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

// actions are those of the client, but for what the flights and the profiles have to hear of.
func (c *carrying) actions() execution.Actions {
	all := c.Client.Actions()
	all.Reject, all.Evict, all.Event, all.Activate = c.Reject, c.Evict, c.Event, c.Activate
	return all
}

// add makes a profile known.
func (c *carrying) add(handle fwk.Handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if recorder := handle.EventRecorder(); recorder != nil {
		c.recorders[handle.ProfileName()] = recorder
	}
}

// profileKey is the context's key of the profile that carries a plan out.
type profileKey struct{}

// asProfile makes the actions of a context those of the profile.
func asProfile(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, profileKey{}, name)
}

// told records the profile that has told a victim to go.
func (c *carrying) told(ctx context.Context, victim *outrank.Pod) {
	name, _ := ctx.Value(profileKey{}).(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tellers[victim.UID] = name
}

// Reject records a victim that was rejected.
func (c *carrying) Reject(ctx context.Context, victim *outrank.Pod) (bool, error) {
	rejected, err := c.Client.Reject(ctx, victim)
	if rejected {
		c.under.reject(victim.UID)
		c.told(ctx, victim)
	}
	return rejected, err
}

// Evict tells the victim to go.
func (c *carrying) Evict(ctx context.Context, e execution.Eviction) error {
	err := c.Client.Evict(ctx, e)
	if err == nil {
		c.told(ctx, e.Victim)
	}
	return err
}

// Event posts an event about a victim.
func (c *carrying) Event(e outrank.Event) {
	client := &actions.Client{Config: c.Config}
	client.Events = c.teller(e.Pod)
	client.Event(e)
}

// teller is the recorder of the profile that has told the victim to go.
func (c *carrying) teller(victim *outrank.Pod) events.EventRecorder {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.tellers[victim.UID]
	delete(c.tellers, victim.UID)
	return c.recorders[name]
}

// Activate lets the pod in first.
func (c *carrying) Activate(pod *outrank.Pod) {
	c.under.end(types.UID(pod.UID))
	c.Client.Activate(pod)
}

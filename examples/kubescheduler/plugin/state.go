package plugin

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption/engine"
)

// state holds the snapshot that decisions are made on, with its sources.
type state struct {
	handle fwk.Handle
	mirror *mirror.Mirror
	synced []cache.InformerSynced
}

// newState makes a state that follows everything that decisions depend on beside pods and nodes. The scheduler
// starts the informers.
func newState(handle fwk.Handle, release outrank.Release) (*state, error) {
	m, err := mirror.New(release)
	if err != nil {
		return nil, err
	}
	kinds := append([]mirror.Kind(nil), mirror.BesidePodsAndNodes...)
	if gates := release.Gates(); gates["GenericWorkload"] {
		kinds = append(kinds, mirror.PodGroups)
		if gates["CompositePodGroup"] {
			kinds = append(kinds, mirror.CompositePodGroups)
		}
	}
	synced, err := m.Follow(handle.SharedInformerFactory(), kinds...)
	if err != nil {
		return nil, err
	}
	return &state{handle: handle, mirror: m, synced: synced}, nil
}

// syncLimit is the longest time that a decision waits for the informers of a scheduler that has just begun.
const syncLimit = 10 * time.Second

// follow brings the snapshot in step with the scheduler's, and returns the objects that are not understood. They
// are no error by themselves.
func (s *state) follow(ctx context.Context) ([]mirror.Problem, error) {
	ctx, cancel := context.WithTimeout(ctx, syncLimit)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), s.synced...) {
		return nil, errors.New("the informers are not in step yet")
	}

	nodes, err := s.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, err
	}
	err = mirror.Sync(s.mirror, nodes, s.handle.NominatedPodsForNode)

	// Unless the mirror has the wrong source, the error names the objects that the problems name.
	problems := s.mirror.Problems()
	if len(problems) > 0 && !errors.Is(err, mirror.ErrSource) {
		err = nil
	}
	return problems, err
}

// view calls decide with the snapshot.
func (s *state) view(decide func(*engine.Snapshot) error) error { return s.mirror.View(decide) }

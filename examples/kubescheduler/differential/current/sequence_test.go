package current

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/queuepair"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	"github.com/outrank-go/outrank/preemption/engine"
)

var (
	sequences    = flag.Int("sequences", usualSequences, "number of sequences of attempts")
	sequenceSeed = flag.Uint64("sequence-seed", 1, "seed of the first sequence")
	sequenceMost = flag.Int("sequence-most", 1, "number of sequences that may differ before the test ends")
	sequenceKeep = flag.String("sequence-keep", "", "folder for sequences that differ: the changes, and the cluster as a list that whatif reads")
)

const (
	// attempts of one sequence.
	attempts       = 25
	usualSequences = 540
	// leastAttempts is the least number of attempts in all sequences of the usual
	// number. There may be nothing to try in some.
	leastAttempts = 10_000
	// mostExempt is the most that a hundred attempts may have of those that are compared in nothing.
	mostExempt = 5
)

// attempted counts the attempts of the tests that have run, exempted those of them that are compared in nothing, and
// runs those tests.
var attempted, exempted, runs int

// Sequences of the usual number are of so many attempts that a mistake which shows rarely does.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && runs >= 3 && *sequences >= usualSequences && attempted < leastAttempts {
		fmt.Printf("FAIL: %d attempts in all sequences, want %d\n", attempted, leastAttempts)
		code = 1
	}
	if code == 0 && attempted >= leastAttempts && exempted*100 > mostExempt*attempted {
		fmt.Printf("FAIL: %d of %d attempts are compared in nothing, and %d in a hundred may be\n", exempted, attempted, mostExempt)
		code = 1
	}
	os.Exit(code)
}

// A live scheduler, and a mirror of its framework, one of the informers, a fresh
// conversion and the plugin agree on the fates of pods while everything changes,
// events come late and calls fail or hang.
func TestSequence(t *testing.T) {
	runSequences(t, *sequences, differential.ClusterKinds, differential.Sequence{Attempts: attempts, Harness: Harness, Follow: follow(outrank.V1_37), Rival: rival, Queue: queues(outrank.V1_37)})
}

// With the feature gate for resizes in place, pods on their nodes whose resize is deferred
// are tried, too, and preempt there.
func TestSequenceOfResizes(t *testing.T) {
	const gate = "InPlacePodVerticalScalingSchedulerPreemption"
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, true)
	release, err := outrank.V1_37.With(map[string]bool{gate: true})
	require.NoError(t, err)
	runSequences(t, *sequences/9, []string{"resizes", "everything"}, differential.Sequence{
		Attempts: attempts, Harness: &differential.Harness{Release: release, Convert: Convert}, Follow: follow(release), Rival: rival, Queue: queues(release), Resizes: true,
	})
}

// With the feature gate for groups, victims leave together with the others of their group,
// wherever those are.
func TestSequenceOfGroups(t *testing.T) {
	const gate = "GenericWorkload"
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, true)
	release, err := outrank.V1_37.With(map[string]bool{gate: true})
	require.NoError(t, err)
	runSequences(t, *sequences/6, differential.ClusterKinds, differential.Sequence{
		Attempts: attempts, Harness: &differential.Harness{Release: release, Convert: Convert}, Follow: follow(release, mirror.PodGroups), Rival: rival, Queue: queues(release), Groups: true,
	})
}

// Pods of groups that are there are placed together, and ask for room together.
func TestSequenceOfCycles(t *testing.T) {
	const gate = "GenericWorkload"
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, true)
	release, err := outrank.V1_37.With(map[string]bool{gate: true})
	require.NoError(t, err)
	runSequences(t, *sequences/6, differential.ClusterKinds, differential.Sequence{
		Attempts: attempts, Harness: &differential.Harness{Release: release, Convert: Convert}, Follow: follow(release, mirror.PodGroups), Rival: rival, Groups: true, Cycles: watchGroups,
	})
}

// runSequences runs so many sequences of these kinds, and logs their counts.
func runSequences(t *testing.T, sequences int, kinds []string, like differential.Sequence) {
	differential.Quiet()
	utilruntime.ErrorHandlers = nil // which wait after errors
	counts, left := map[string]int{}, *sequenceMost
	for i := range sequences {
		kind, seed := kinds[i%len(kinds)], *sequenceSeed+uint64(i/len(kinds))
		s := like
		s.Kind, s.Seed = kind, seed
		r, err := s.Run()
		require.NoError(t, err, "%s %d", kind, seed)
		for what, n := range r.Counts {
			counts[what] += n
		}
		if len(r.Differences) == 0 {
			continue
		}
		t.Errorf("kind %s, seed %d differs; repeat with -sequence-seed %d:\n%s\n%s", kind, seed, seed, strings.Join(r.Differences, "\n"), tail(r.Log))
		keepSequence(t, r)
		if left--; left <= 0 {
			break
		}
	}
	attempted, runs = attempted+counts["attempts"], runs+1
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		if strings.HasPrefix(what, "not compared: ") || strings.HasPrefix(what, "groups not compared: ") {
			exempted += counts[what]
		}
		t.Logf("%8d %s", counts[what], what)
	}
}

// tail is the end of a log.
func tail(log []string) string { return strings.Join(log[max(0, len(log)-30):], "\n") }

func keepSequence(t *testing.T, r *differential.SequenceResult) {
	if *sequenceKeep == "" {
		return
	}
	name := filepath.Join(*sequenceKeep, fmt.Sprintf("%s-%d", r.Case.Kind, r.Case.Seed))
	require.NoError(t, os.WriteFile(name+".log", []byte(strings.Join(append(r.Log, r.Differences...), "\n")), 0o644))
	w, err := os.Create(name + ".json")
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, r.Case.Write(w))
}

func rival(ctx context.Context, handle fwk.Handle) (fwk.PostFilterPlugin, error) {
	p, err := plugin.Factory(plugin.Options{})(ctx, &apiruntime.Unknown{}, handle)
	if err != nil {
		return nil, err
	}
	return p.(fwk.PostFilterPlugin), nil
}

// queues makes a queue of this library that follows the scheduler's.
func queues(release outrank.Release) func() differential.QueueFollower {
	return func() differential.QueueFollower { return queuepair.New(release) }
}

// follow makes a mirror that receives everything from the informers, and one that
// reads pods and nodes from the scheduler.
func follow(release outrank.Release, more ...mirror.Kind) func(informers.SharedInformerFactory, fwk.Handle) ([]differential.Follower, error) {
	return func(told informers.SharedInformerFactory, handle fwk.Handle) ([]differential.Follower, error) {
		return followers(release, told, handle, more)
	}
}

func followers(release outrank.Release, told informers.SharedInformerFactory, handle fwk.Handle, more []mirror.Kind) ([]differential.Follower, error) {
	informed, err := follower("informers", release, told, slices.Concat(mirror.Everything, more), func(*mirror.Mirror) error { return nil })
	if err != nil {
		return nil, err
	}
	informed.Late = true
	reading, err := follower("framework", release, told, slices.Concat(mirror.BesidePodsAndNodes, more), func(m *mirror.Mirror) error {
		nodes, err := handle.SnapshotSharedLister().NodeInfos().List()
		if err != nil {
			return err
		}
		return mirror.Sync(m, nodes, handle.NominatedPodsForNode)
	})
	return []differential.Follower{informed, reading}, err
}

func follower(name string, release outrank.Release, told informers.SharedInformerFactory, kinds []mirror.Kind, sync func(*mirror.Mirror) error) (differential.Follower, error) {
	m, err := mirror.New(release)
	if err != nil {
		return differential.Follower{}, err
	}
	_, err = m.Follow(told, kinds...)
	return differential.Follower{Name: name, View: func(pods []*corev1.Pod, decide func(*engine.Snapshot, []*outrank.Pod) error) error {
		if err := sync(m); err != nil {
			return err
		}
		if problems := m.Problems(); len(problems) > 0 {
			return fmt.Errorf("not understood: %v", problems)
		}
		converted := make([]*outrank.Pod, len(pods))
		for i, pod := range pods {
			var err error
			if converted[i], err = m.Preemptor(pod); err != nil {
				return err
			}
		}
		return m.View(func(snap *engine.Snapshot) error { return decide(snap, converted) })
	}}, err
}

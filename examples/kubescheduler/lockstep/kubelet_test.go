package lockstep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/record"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	kubeletpreemption "k8s.io/kubernetes/pkg/kubelet/preemption"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// admission is a kubelet's answer and actions for a pod, in the reference's words.
type admission struct {
	Admitted        bool
	Reason, Message string
	// Found are the failures of the check, and Left those after evictions were
	// tried, both as they are handed on.
	Found, Left []string
	// Killed are the evicted pods in order, each with its status afterwards;
	// Events are those on them.
	Killed, Events []string
}

// kubelet is the reference's check with its handler of failures.
type kubelet struct {
	node     *corev1.Node
	pods     []*corev1.Pod
	failKill string
	said     admission
}

func (k *kubelet) admit(incoming *corev1.Pod, operation lifecycle.Operation) admission {
	events := record.NewFakeRecorder(1000)
	active := func() []*corev1.Pod { return append(slices.Clone(k.pods), incoming) }
	k.said = admission{}
	handler := kubeletpreemption.NewCriticalPodAdmissionHandler(active, k.kill, events)
	check := lifecycle.NewPredicateAdmitHandler(
		func(context.Context, bool) (*corev1.Node, error) { return k.node, nil },
		&listening{handler, &k.said},
		func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil },
	)
	result := check.Admit(context.Background(), &lifecycle.PodAdmitAttributes{Pod: incoming, OtherPods: k.pods, Operation: operation})
	k.said.Admitted, k.said.Reason, k.said.Message = result.Admit, result.Reason, result.Message
	close(events.Events)
	for e := range events.Events {
		k.said.Events = append(k.said.Events, e)
	}
	return k.said
}

func (k *kubelet) kill(pod *corev1.Pod, evicted bool, grace *int64, change func(*corev1.PodStatus)) error {
	var status corev1.PodStatus
	change(&status)
	c := status.Conditions[0]
	k.said.Killed = append(k.said.Killed, fmt.Sprintln(pod.Name, evicted, grace == nil, status.Phase, status.Reason, status.Message, c.Type, c.Status, c.Reason, c.Message))
	if pod.Name == k.failKill {
		return errors.New("it does not end")
	}
	return nil
}

// listening hands failures on to the handler, sorted where the reference takes
// them from a map, and writes them down.
type listening struct {
	next lifecycle.AdmissionFailureHandler
	said *admission
}

func (l *listening) HandleAdmissionFailure(ctx context.Context, pod *corev1.Pod, failures []lifecycle.PredicateFailureReason, operation lifecycle.Operation) ([]lifecycle.PredicateFailureReason, error) {
	slices.SortStableFunc(failures, func(a, b lifecycle.PredicateFailureReason) int { return cmp.Compare(mapOrder(a), mapOrder(b)) })
	for _, f := range failures {
		l.said.Found = append(l.said.Found, referenceText(f))
	}
	left, err := l.next.HandleAdmissionFailure(ctx, pod, failures, operation)
	for _, f := range left {
		l.said.Left = append(l.said.Left, referenceText(f))
	}
	return left, err
}

// mapOrder keeps all failures in their places but those about resources that are not
// well known, which are sorted by name (rule 17.3.2).
func mapOrder(f lifecycle.PredicateFailureReason) string {
	short, ok := f.(*lifecycle.InsufficientResourceError)
	switch {
	case !ok:
		return "3"
	case slices.Contains([]corev1.ResourceName{corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}, short.ResourceName):
		return "1"
	}
	return "2" + string(short.ResourceName)
}

func referenceText(f lifecycle.PredicateFailureReason) string {
	if short, ok := f.(*lifecycle.InsufficientResourceError); ok {
		return fmt.Sprintf("%s (%s, %d to free)", short.Error(), short.GetReason(), short.GetInsufficientAmount())
	}
	return fmt.Sprintf("%v (%s)", f, f.GetReason())
}

// ourText is the same about a failure of the library.
func ourText(f kubeletadmit.CheckFailure) string {
	if f.Resource != "" {
		return fmt.Sprintf("%s (%v, %d to free)", kubeletadmit.Admission{Returned: []kubeletadmit.CheckFailure{f}}.ReferenceMessage(), f, f.Shortage())
	}
	return fmt.Sprintf("%s (%v)", kubeletadmit.Admission{Returned: []kubeletadmit.CheckFailure{f}}.ReferenceMessage(), f)
}

// ours lets the library decide and carry out, and returns it in the reference's words.
func ours(t *rapid.T, a kubeletadmit.Config, k *kubelet, incoming *corev1.Pod) (kubeletadmit.Admission, admission) {
	var pods []*outrank.Pod
	for _, p := range k.pods {
		pods = append(pods, toPod(t, p))
	}
	pod := toPod(t, incoming)
	// The pod itself is among the active ones, where the kubelet has it, too.
	adm, err := kubeletadmit.Admit(toNode(t, k.node), append(pods, pod), pod, a)
	require.NoError(t, err)
	said := admission{Admitted: adm.OK(), Reason: adm.Reason}
	for _, f := range adm.Failures {
		said.Found = append(said.Found, ourText(f))
	}
	for _, f := range adm.Returned {
		said.Left = append(said.Left, ourText(f))
	}
	said.Message = adm.ReferenceMessage()
	killing := &killing{failKill: k.failKill, said: &said}
	_, err = kubeletadmit.Evict(context.Background(), adm, killing)
	require.NoError(t, err)
	return adm, said
}

// killing carries evictions out as kubelet does.
type killing struct {
	failKill string
	said     *admission
}

func (k *killing) Record(e outrank.Event) {
	k.said.Events = append(k.said.Events, fmt.Sprintf("%s %s %s", e.Type, e.Reason, e.Message))
}

func (k *killing) Kill(_ context.Context, pod *outrank.Pod, status kubeletadmit.PodStatus) error {
	c := status.Condition
	k.said.Killed = append(k.said.Killed, fmt.Sprintln(pod.Name, true, true, status.Phase, status.Reason, status.Message, c.Type, c.Status, c.Reason, c.Message))
	if pod.Name == k.failKill {
		return errors.New("it does not end")
	}
	return nil
}

// lockstepKubelet fills a node at random and lets pods ask to be admitted.
func lockstepKubelet(a kubeletadmit.Config, outcomes map[string]int) func(*rapid.T) {
	operation := lifecycle.AddOperation
	if a.Operation == kubeletadmit.Resize {
		operation = lifecycle.ResizeOperation
	}
	return func(t *rapid.T) {
		k := &kubelet{node: drawNode(t)}
		for i := range below(t, 13, "pods") {
			k.pods = append(k.pods, drawPod(t, fmt.Sprint("p", i), "node"))
		}
		if one(t, 5, "a kill fails") {
			k.failKill = "p0"
		}
		incoming := drawIncoming(t, "node")
		adm, said := ours(t, a, k, incoming)
		want := k.admit(incoming, operation)
		require.Equal(t, want, said, "%v", adm)
		outcomes[string(adm.Outcome)+adm.Reason]++
		outcomes["evicted"] += len(adm.Evictions)
		outcomes["evicted at once, at most"] = max(outcomes["evicted at once, at most"], len(adm.Evictions))
	}
}

func TestKubelet(t *testing.T) {
	for _, operation := range []kubeletadmit.Operation{kubeletadmit.Add, kubeletadmit.Resize} {
		for _, gate := range []bool{false, true} {
			t.Run(fmt.Sprint(operation, " ", gate), func(t *testing.T) {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.InPlacePodVerticalScalingSchedulerPreemption, gate)
				release, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": gate})
				require.NoError(t, err)
				outcomes := map[string]int{}
				check(t, 1500, lockstepKubelet(kubeletadmit.Config{Release: release, Operation: operation}, outcomes))
				t.Log(outcomes)
			})
		}
	}
}

package lockstep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Results of a call of the API server.
const (
	works       = ""
	conflict    = "conflict"
	internal    = "internal error"
	unavailable = "unavailable"
	notFound    = "not found"
	forbidden   = "forbidden"
)

// apiError is the error of the API server.
func apiError(how string) error {
	pods := corev1.Resource("pods")
	switch how {
	case conflict:
		return apierrors.NewConflict(pods, "p", errors.New("changed"))
	case internal:
		return apierrors.NewInternalError(errors.New("oops"))
	case unavailable:
		return apierrors.NewServiceUnavailable("later")
	case notFound:
		return apierrors.NewNotFound(pods, "p")
	case forbidden:
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "no"}}
	}
	return nil
}

// ourError is the same for the library.
func ourError(how string) error {
	switch how {
	case works:
		return nil
	case conflict, internal, unavailable:
		return fmt.Errorf("%w: %s", execution.ErrRetriable, how)
	case notFound:
		return fmt.Errorf("%w: %s", preemption.ErrNotFound, how)
	}
	return errors.New(how)
}

// calls writes down an executor's actions, and answers: a call about a pod has
// the results that are laid down for it, one after another, and works after that.
type calls struct {
	mu   sync.Mutex
	made []string
	ways map[string][]string
	// preempting reports whether the preemptor is kept out at that moment.
	preempting func() bool
	// gone are the pods that were deleted.
	gone func(name string)
}

func (c *calls) call(what, pod string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(what + " " + pod)
	left := c.ways[what+" "+pod]
	if len(left) == 0 {
		return works
	}
	c.ways[what+" "+pod] = left[1:]
	return left[0]
}

func (c *calls) note(what string) {
	if c.preempting != nil && c.preempting() {
		what += " (kept out)"
	}
	c.made = append(c.made, what)
}

// handle is the part of the scheduler that the reference's executor uses.
type handle struct {
	fwk.Handle
	*calls
	client    clientset.Interface
	nominated []*corev1.Pod
	waiting   map[types.UID]string // how a pod that waits takes its preemption
}

func newHandle(c *calls, client clientset.Interface) *handle {
	return &handle{calls: c, client: client, waiting: map[types.UID]string{}}
}

// apiServer is one clientset for all cases; now are the calls of the case.
func apiServer(now **calls) clientset.Interface {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		c := *now
		switch a := action.(type) {
		case clienttesting.PatchAction:
			what := "clear"
			if strings.Contains(string(a.GetPatch()), "DisruptionTarget") {
				what = "condition"
			}
			return true, &corev1.Pod{}, apiError(c.call(what, a.GetName()))
		case clienttesting.DeleteAction:
			how := c.call("delete", a.GetName())
			if how == works {
				c.gone(a.GetName())
			}
			return true, nil, apiError(how)
		}
		return true, nil, fmt.Errorf("%v was not to be expected", action)
	})
	return client
}

func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return informerFactory }
func (h *handle) ClientSet() clientset.Interface                         { return h.client }
func (h *handle) APICacher() fwk.APICacher                               { return nil }
func (h *handle) EventRecorder() events.EventRecorderLogger              { return &recorder{h.calls} }
func (h *handle) Parallelizer() fwk.Parallelizer                         { return parallelize.NewParallelizer(1) }

func (h *handle) Activate(_ logr.Logger, pods map[string]*corev1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range pods {
		h.note("activate " + name)
	}
}

func (h *handle) NominatedPodsForNode(string) []fwk.PodInfo {
	var infos []fwk.PodInfo
	for _, p := range h.nominated {
		infos = append(infos, info(p))
	}
	return infos
}

func (h *handle) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	if how := h.waiting[uid]; how == "waits" || how == "waits no more" {
		return &waitingVictim{how: how}
	}
	return nil
}

func (h *handle) GetPodInPreBind(uid types.UID) fwk.PodInPreBind {
	if how := h.waiting[uid]; how == "binds" || how == "is bound" {
		return &waitingVictim{how: how}
	}
	return nil
}

// waitingVictim is a victim that waits to be bound or is about to be.
type waitingVictim struct {
	fwk.WaitingPod
	how string
}

func (w *waitingVictim) Preempt(string, string) bool { return w.how == "waits" }
func (w *waitingVictim) CancelPod(string) bool       { return w.how == "binds" }
func (w *waitingVictim) MarkPrebound() bool          { return false }

// recorder records events.
type recorder struct{ *calls }

func (r *recorder) WithLogger(logr.Logger) events.EventRecorderLogger { return r }

func (r *recorder) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(fmt.Sprintln("event", regarding.(*corev1.Pod).Name, kind, reason, action, fmt.Sprintf(note, args...)))
}

// ourActions do the same for the library.
type ourActions struct {
	*calls
	waiting map[types.UID]string
}

// actions are the functions. Nominations are not compared: the reference leaves them to the failure
// path.
func (a *ourActions) actions() execution.Actions {
	return execution.Actions{Reject: a.reject, Evict: a.evict, ClearNomination: a.clear, Activate: a.activate, Event: a.event}
}

func (a *ourActions) reject(_ context.Context, victim *outrank.Pod) (bool, error) {
	how := a.waiting[types.UID(victim.UID)]
	return how == "waits" || how == "binds", nil
}

func (a *ourActions) evict(_ context.Context, e execution.Eviction) error {
	if err := ourError(a.call("condition", e.Victim.Name)); err != nil {
		return err
	}
	how := a.call("delete", e.Victim.Name)
	switch err := ourError(how); {
	case how == works:
		a.gone(e.Victim.Name)
		return nil
	case errors.Is(err, execution.ErrRetriable):
		return errors.New(how) // a deletion is tried once
	default:
		return err
	}
}

func (a *ourActions) clear(_ context.Context, pod *outrank.Pod) error {
	return ourError(a.call("clear", pod.Name))
}

func (a *ourActions) activate(pod *outrank.Pod) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note("activate " + pod.Name)
}

func (a *ourActions) event(e outrank.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note(fmt.Sprintln("event", e.Pod.Name, e.Type, e.Reason, e.Action, e.Message))
}

// candidate is the decision.
type candidate struct{ victims []*corev1.Pod }

func (c *candidate) Victims() *extenderv1.Victims { return &extenderv1.Victims{Pods: c.victims} }
func (c *candidate) Name() string                 { return "n1" }
func (c *candidate) NumPodGroupDisruptions() int  { return 0 }

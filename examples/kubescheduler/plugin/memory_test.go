package plugin_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// remembering is a handle with victims that wait and a queue of API calls.
type remembering struct {
	fwk.Handle
	waiting   fwk.WaitingPod
	binding   fwk.PodInPreBind
	cacher    fwk.APICacher
	asked     []types.UID
	activated []string
}

func (h *remembering) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	h.asked = append(h.asked, uid)
	return h.waiting
}

func (h *remembering) GetPodInPreBind(uid types.UID) fwk.PodInPreBind {
	h.asked = append(h.asked, uid)
	return h.binding
}

func (h *remembering) APICacher() fwk.APICacher { return h.cacher }

func (h *remembering) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	for name, pod := range pods {
		h.activated = append(h.activated, fmt.Sprint(name, " ", pod.UID))
	}
}

type waitingPod struct {
	fwk.WaitingPod
	by, text string
	waits    bool
}

func (w *waitingPod) Preempt(by, text string) bool { w.by, w.text = by, text; return w.waits }

type preBind struct {
	fwk.PodInPreBind
	text    string
	cancels bool
}

func (p *preBind) CancelPod(text string) bool { p.text = text; return p.cancels }

type cacher struct {
	fwk.APICacher
	pods []string
	err  error
}

func (c *cacher) PatchPodStatus(p *v1.Pod, conditions []*v1.PodCondition, info *fwk.NominatingInfo) (<-chan error, error) {
	c.pods = append(c.pods, fmt.Sprint(p.Name, conditions, *info))
	return nil, c.err
}

// A victim is rejected while it waits for its permission, or before its binding is written.
func TestMemoryRejects(t *testing.T) {
	for name, c := range map[string]struct {
		handle remembering
		want   bool
		asked  int
	}{
		"waits":              {remembering{waiting: &waitingPod{waits: true}}, true, 1},
		"waits no more":      {remembering{waiting: &waitingPod{}}, false, 1},
		"before its binding": {remembering{binding: &preBind{cancels: true}}, true, 2},
		"is being bound":     {remembering{binding: &preBind{}}, false, 2},
		"is bound":           {remembering{}, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, plugin.Memory(&c.handle).Reject("uid-v"))
			assert.Equal(t, []types.UID{"uid-v", "uid-v"}[:c.asked], c.handle.asked)
			if waiting, ok := c.handle.waiting.(*waitingPod); ok {
				assert.Equal(t, []string{"Outrank", "preempted"}, []string{waiting.by, waiting.text})
			}
			if binding, ok := c.handle.binding.(*preBind); ok {
				assert.Equal(t, "preempted by Outrank", binding.text)
			}
		})
	}
}

// Nominations go to the queue of API calls where the scheduler has one, whatever becomes of them
// there.
func TestMemoryNominates(t *testing.T) {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "uid-p"}}
	queued, err := plugin.Memory(&remembering{}).Nominate(p, "n1")
	assert.False(t, queued)
	assert.NoError(t, err)
	full := errors.New("full")
	for _, want := range []error{nil, full} {
		queue := &cacher{err: want}
		queued, err = plugin.Memory(&remembering{cacher: queue}).Nominate(p, "n1")
		assert.True(t, queued)
		assert.ErrorIs(t, err, want)
		assert.Equal(t, []string{"p[] {n1 1}"}, queue.pods)
	}
}

func TestMemoryActivates(t *testing.T) {
	h := &remembering{}
	plugin.Memory(h).Activate(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "uid-p"}})
	assert.Equal(t, []string{"p uid-p"}, h.activated)
}

package plugin_test

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
)

// handle is as much of a handle as making a plugin needs.
type handle struct {
	fwk.Handle
	c *cluster
}

func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.c.informers }
func (h *handle) ClientSet() kubernetes.Interface                        { return h.c.api }
func (h *handle) EventRecorder() events.EventRecorderLogger              { return h.c.recorder }
func (h *handle) Extenders() []fwk.Extender                              { return nil }
func (h *handle) SnapshotSharedLister() fwk.SharedLister                 { return nil }
func (h *handle) ProfileName() string                                    { return "default-scheduler" }

// graceful does what the API does about the deletion of a pod that needs time to end.
func (c *cluster) graceful(action ktesting.Action) (bool, apiruntime.Object, error) {
	d := action.(ktesting.DeleteAction)
	resource := v1.SchemeGroupVersion.WithResource("pods")
	found, err := c.api.Tracker().Get(resource, d.GetNamespace(), d.GetName())
	if err != nil {
		return true, nil, err
	}
	pod := found.(*v1.Pod).DeepCopy()
	pod.DeletionTimestamp = new(metav1.Now())
	pod.DeletionGracePeriodSeconds = new(int64(30))
	return true, nil, c.api.Tracker().Update(resource, pod, d.GetNamespace())
}

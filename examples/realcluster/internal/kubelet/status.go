package kubelet

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// register writes the status that a kubelet reports for its node when it starts.
func (k *Kubelets) register(ctx context.Context, n *corev1.Node) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest, err := k.config.Client.CoreV1().Nodes().Get(ctx, n.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		latest.Status = nodeStatus(latest, k.config.Version, metav1.Now())
		_, err = k.config.Client.CoreV1().Nodes().UpdateStatus(ctx, latest, metav1.UpdateOptions{})
		return err
	})
	if apierrors.IsNotFound(err) || ctx.Err() != nil {
		return nil
	}
	return err
}

func nodeStatus(n *corev1.Node, version string, now metav1.Time) corev1.NodeStatus {
	s := *n.Status.DeepCopy()
	s.Conditions = nil
	for _, c := range []struct {
		is     corev1.NodeConditionType
		status corev1.ConditionStatus
		reason string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"},
	} {
		s.Conditions = append(s.Conditions, corev1.NodeCondition{
			Type: c.is, Status: c.status, Reason: c.reason, Message: c.reason, LastHeartbeatTime: now, LastTransitionTime: now,
		})
	}
	s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}, {Type: corev1.NodeHostName, Address: n.Name}}
	s.NodeInfo = corev1.NodeSystemInfo{
		MachineID: n.Name, SystemUUID: n.Name, BootID: n.Name, KernelVersion: "6.0", OSImage: "none",
		ContainerRuntimeVersion: "none://1", KubeletVersion: version, OperatingSystem: "linux", Architecture: "amd64",
	}
	return s
}

// address is the address of every node. Nothing connects to it.
const address = "10.0.0.1"

// running returns the pod with the status that its kubelet reports once all containers run.
func running(p *corev1.Pod, now time.Time, spread time.Duration) *corev1.Pod {
	p = p.DeepCopy()
	s, at := &p.Status, metav1.NewTime(now)
	s.Phase = corev1.PodRunning
	start := startTime(p.UID, now, spread)
	s.StartTime = &start
	s.HostIP, s.HostIPs = address, []corev1.HostIP{{IP: address}}
	s.PodIP, s.PodIPs = "10.244.0.1", []corev1.PodIP{{IP: "10.244.0.1"}}
	for _, t := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at, ObservedGeneration: p.Generation})
	}
	for _, c := range p.Spec.InitContainers {
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		s.InitContainerStatuses = append(s.InitContainerStatuses, containerStatus(p, &c, sidecar, at))
	}
	for _, c := range p.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, containerStatus(p, &c, true, at))
	}
	return p
}

// containerStatus returns the status of a container that keeps running, or of an init container that has
// finished.
func containerStatus(p *corev1.Pod, c *corev1.Container, stays bool, at metav1.Time) corev1.ContainerStatus {
	id := fmt.Sprintf("none://%s-%s", p.UID, c.Name)
	s := corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: id, Ready: true, Started: &stays,
		AllocatedResources: c.Resources.Requests, Resources: c.Resources.DeepCopy(),
	}
	if stays {
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
	} else {
		s.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: at, FinishedAt: at, ContainerID: id}
	}
	return s
}

// startTime returns a start time for a pod. The start times of pods differ as in a cluster that has grown over
// weeks. The same pod always has the same age.
func startTime(uid types.UID, now time.Time, spread time.Duration) metav1.Time {
	back := time.Duration(0)
	if seconds := uint64(spread / time.Second); seconds > 0 {
		h := fnv.New64a()
		h.Write([]byte(uid))
		back = time.Duration(h.Sum64()%seconds) * time.Second
	}
	return metav1.NewTime(now.Add(-back).Truncate(time.Second))
}

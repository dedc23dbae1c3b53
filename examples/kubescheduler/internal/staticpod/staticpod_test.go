package staticpod

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/controlplane"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/config"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/staticpod"
)

const (
	files = "../../deploy/kubeadm"
	name  = "kube-scheduler"
)

// node is what kubeadm has to know of a control plane.
const node = `
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {name: control-plane}
localAPIEndpoint: {advertiseAddress: 10.0.0.1}
`

// cluster is the configuration of a cluster without the scheduler's part.
const cluster = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
`

// written has kubeadm write the static pod into a folder, which may have one.
func written(t *testing.T, dir, cluster, patches string) (text []byte, pod *v1.Pod) {
	t.Helper()
	c, err := config.BytesToInitConfiguration([]byte(cluster+"kubernetesVersion: v1.37.1\n"+node), true)
	require.NoError(t, err)
	require.NoError(t, controlplane.CreateStaticPodFiles(dir, patches, &c.ClusterConfiguration, &c.LocalAPIEndpoint, false, name))
	path := filepath.Join(dir, name+".yaml")
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	pod, err = staticpod.ReadStaticPodFromDisk(path)
	require.NoError(t, err)
	return text, pod
}

// By the steps of the README kubeadm puts the image, the configuration and its volume into the
// static pod and changes nothing else, and by the way back it writes the bytes from before.
func TestThereAndBack(t *testing.T) {
	dir, patches := t.TempDir(), t.TempDir()
	before, stock := written(t, dir, cluster, "")

	part, err := os.ReadFile(files + "/cluster.yaml")
	require.NoError(t, err)
	patch, err := os.ReadFile(files + "/kube-scheduler+strategic.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(patches, "kube-scheduler+strategic.yaml"), patch, 0o600))
	with, pod := written(t, dir, string(part), patches)
	assert.NotEqual(t, before, with)
	require.Len(t, pod.Spec.Containers, 1)
	c := &pod.Spec.Containers[0]
	assert.Equal(t, "kube-scheduler-outrank:v1.37.1", c.Image)
	assert.Equal(t, "kube-scheduler", c.Command[0], "which is the program's name in the image")
	assert.Contains(t, c.Command, "--config=/etc/kubernetes/outrank.yaml")
	require.NotNil(t, c.SecurityContext)
	assert.Equal(t, int64(0), *c.SecurityContext.RunAsUser, "who may read scheduler.conf")
	require.Greater(t, len(c.VolumeMounts), len(stock.Spec.Containers[0].VolumeMounts))
	mount, volume := c.VolumeMounts[len(c.VolumeMounts)-1], pod.Spec.Volumes[len(pod.Spec.Volumes)-1]
	assert.Equal(t, "/etc/kubernetes/outrank.yaml", mount.MountPath)
	assert.True(t, mount.ReadOnly)
	assert.Equal(t, mount.Name, volume.Name)
	assert.Equal(t, mount.MountPath, volume.HostPath.Path)

	// Without these it is the stock one.
	of := &stock.Spec.Containers[0]
	c.Image, c.SecurityContext = of.Image, of.SecurityContext
	c.VolumeMounts, pod.Spec.Volumes = c.VolumeMounts[:len(c.VolumeMounts)-1], pod.Spec.Volumes[:len(pod.Spec.Volumes)-1]
	var command []string
	for _, arg := range c.Command {
		if arg != "--config=/etc/kubernetes/outrank.yaml" {
			command = append(command, arg)
		}
	}
	c.Command = command
	assert.Empty(t, cmp.Diff(stock, pod))

	back, _ := written(t, dir, cluster, "")
	assert.Equal(t, string(before), string(back))
}

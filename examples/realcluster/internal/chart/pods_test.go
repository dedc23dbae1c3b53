package chart

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// standIn is a scheduler that says what it has been given, and waits for its end.
const standIn = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	for _, file := range []string{"/etc/outrank/config.yaml", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/var/run/secrets/kubernetes.io/serviceaccount/namespace"} {
		text, err := os.ReadFile(file)
		fmt.Println(string(text), err)
	}
	fmt.Println(os.Getuid(), os.Args[0], os.Args[1], os.Getenv("KUBERNETES_SERVICE_HOST"), "pods \"x\" is forbidden")
	if len(os.Args) > 1 && os.Args[1] == "--fall" {
		os.Exit(3)
	}
	<-end
	fmt.Println("told to end")
}
`

// ofRelease is a pod of the release that runs.
func ofRelease(name, arg string) *corev1.Pod {
	user := int64(65532)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: Release + "-" + name, UID: types.UID(name)},
		Spec: corev1.PodSpec{
			ServiceAccountName: Release, SecurityContext: &corev1.PodSecurityContext{RunAsUser: &user},
			Containers: []corev1.Container{{Name: "c", Args: []string{arg}, VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/outrank"}, {Name: "account", MountPath: "/x"}}}},
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "settings"},
			}}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// A pod runs as its user, with its arguments, configuration and account, from when the kubelet
// says so until it is deleted, and again if it ends by itself.
func TestPodsRunAsProcesses(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Log("NOT CHECKED: a container takes Linux and root")
		return
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte(standIn), 0o600))
	build := exec.Command("go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	cluster, err := controlplane.New(t.Context(), controlplane.Options{Dir: filepath.Join(dir, "run"), Say: t.Logf, Program: func(string) string { return "/no/such/etcd" }})
	require.Error(t, err) // of which the certificates and folders are enough
	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "settings"}, Data: map[string]string{"config.yaml": "kind: Config"}})
	client.PrependReactor("create", "serviceaccounts", func(a ktesting.Action) (bool, apiruntime.Object, error) {
		return a.GetSubresource() == "token", &authenticationv1.TokenRequest{Status: authenticationv1.TokenRequestStatus{Token: "secret"}}, nil
	})
	var mu sync.Mutex
	pods := []*corev1.Pod{ofRelease("a", "--stay"), ofRelease("b", "--fall")}
	waiting := ofRelease("c", "--stay")
	waiting.Status.Phase = corev1.PodPending
	other := ofRelease("d", "--stay")
	other.Namespace = "default"
	pods = append(pods, waiting, other)
	p := &Pods{Cluster: cluster, Client: client, Program: program, Dir: filepath.Join(dir, "pods"), Say: t.Logf, All: func() []*corev1.Pod {
		mu.Lock()
		defer mu.Unlock()
		return pods
	}}
	var ended []string
	p.SetEnding(func(pod string) {
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, pod)
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var followed sync.WaitGroup
	followed.Go(func() { p.Follow(ctx) })
	log := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(cluster.Logs(), Release+"-"+name+".log"))
		return string(text)
	}
	eventually := func(is func() bool) {
		t.Helper()
		require.Eventually(t, is, 30*time.Second, 20*time.Millisecond)
	}
	eventually(func() bool { return strings.Contains(log("a"), "forbidden") && p.Restarts() > 0 })
	assert.Equal(t, "kind: Config <nil>\nsecret <nil>\noutrank-system <nil>\n65532 outrank-scheduler-a --stay 127.0.0.1 pods \"x\" is forbidden\n", log("a"))
	eventually(func() bool { return strings.Count(log("b"), "forbidden") > 1 })
	lines, err := p.Forbidden()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(lines), 3)

	mu.Lock()
	gone := pods[0].DeepCopy()
	gone.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	pods = []*corev1.Pod{gone, pods[2], pods[3]}
	mu.Unlock()
	eventually(func() bool { return strings.Contains(log("a"), "told to end") })
	stop()
	followed.Wait()
	assert.Contains(t, ended, Release+"-a")
	assert.Empty(t, log("c")+log("d"))
}

package chart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// Pods runs the pods of the release. When a kubelet has reported that a pod runs, a process runs in its place,
// with the file system of the image and the pod's arguments, configuration, user and service account. The
// process ends when the pod is deleted, and is restarted if it ends by itself. It uses free ports, because all
// pods share the machine.
type Pods struct {
	Cluster *controlplane.Cluster
	Client  kubernetes.Interface
	// All returns the pods of the cluster.
	All func() []*corev1.Pod
	// Program is the path of the scheduler, which has to be a static program.
	Program string
	// Dir is a folder for the file systems of pods. It has to be on the same disk as Program.
	Dir string
	// Say prints a line of progress.
	Say func(format string, args ...any)

	mu      sync.Mutex
	running map[types.UID]*container
	// again counts the processes that ended by themselves.
	again int
	// ending, if set, is called before a process is told to end.
	ending func(pod string)
	ended  sync.WaitGroup
}

// SetEnding sets a function that is called with the pod's name before a process is told to end.
func (p *Pods) SetEnding(do func(pod string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending = do
}

// container is a pod's process.
type container struct {
	pod     string
	port    int
	process *controlplane.Process
	// gone is closed when the process has to end.
	gone chan struct{}
}

// entrypoint is the program in the image.
const entrypoint = "/usr/local/bin/kube-scheduler"

// Follow runs the pods until the context ends, and then ends all of them.
func (p *Pods) Follow(ctx context.Context) {
	p.mu.Lock()
	p.running = map[types.UID]*container{}
	p.mu.Unlock()
	defer p.ended.Wait()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.running {
			close(c.gone)
		}
		p.running = nil
	}()
	for {
		if err := p.look(ctx); err != nil && ctx.Err() == nil {
			p.Say("%v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// look starts the processes of pods that run, and ends the processes of pods that no longer do.
func (p *Pods) look(ctx context.Context) error {
	wanted := map[types.UID]bool{}
	var trouble error
	for _, pod := range p.All() {
		if pod.Namespace != Namespace || pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		wanted[pod.UID] = true
		p.mu.Lock()
		_, runs := p.running[pod.UID]
		p.mu.Unlock()
		if !runs {
			trouble = errors.Join(trouble, p.begin(ctx, pod))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for uid, c := range p.running {
		if !wanted[uid] {
			close(c.gone)
			delete(p.running, uid)
		}
	}
	return trouble
}

// begin lays out the files of a pod and starts its process.
func (p *Pods) begin(ctx context.Context, pod *corev1.Pod) error {
	c := &container{pod: pod.Name, gone: make(chan struct{})}
	var err error
	if c.port, err = controlplane.FreePort(); err != nil {
		return err
	}
	root, err := p.layOut(ctx, pod)
	if err != nil {
		return fmt.Errorf("pod %s: %w", pod.Name, err)
	}
	how := controlplane.Container{
		Root: root, Command: entrypoint, Self: pod.Name, User: int(*pod.Spec.SecurityContext.RunAsUser),
		Args: append(slices.Clone(pod.Spec.Containers[0].Args), "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(c.port)),
		Env:  []string{"PATH=/usr/local/bin", "KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + strconv.Itoa(p.Cluster.Ports.APIServer)},
	}
	if err := p.start(c, how); err != nil {
		return err
	}
	p.mu.Lock()
	p.running[pod.UID] = c
	p.mu.Unlock()
	p.ended.Go(func() { p.keep(c, how) })
	return nil
}

func (p *Pods) start(c *container, how controlplane.Container) error {
	process, err := controlplane.StartContainer(c.pod, p.Cluster.Logs(), how)
	if err != nil {
		return err
	}
	p.Say("pod %s runs as process %d", c.pod, process.ID())
	p.mu.Lock()
	defer p.mu.Unlock()
	c.process = process
	return nil
}

// startAgain is the time between the unexpected end of a process and its restart.
const startAgain = 5 * time.Second

// keep restarts the process whenever it ends, until its pod is gone, and then ends it.
func (p *Pods) keep(c *container, how controlplane.Container) {
	for {
		select {
		case <-c.gone:
			p.stop(c)
			return
		case <-c.process.Ended():
		}

		p.Say("%v", c.process.Failure())
		p.mu.Lock()
		p.again++
		p.mu.Unlock()
		select {
		case <-c.gone:
			return
		case <-time.After(startAgain):
		}
		if err := p.start(c, how); err != nil {
			p.Say("%v", err)
			return
		}
	}
}

// stop tells the process of a pod to end, and waits until it has.
func (p *Pods) stop(c *container) {
	p.mu.Lock()
	ending := p.ending
	p.mu.Unlock()
	if ending != nil {
		ending(c.pod)
	}
	c.process.Stop(30 * time.Second)
	p.Say("pod %s has ended", c.pod)
}

// layOut makes the file system of a pod: the program of the image, and the files of the volumes.
func (p *Pods) layOut(ctx context.Context, pod *corev1.Pod) (root string, err error) {
	root = filepath.Join(p.Dir, pod.Name)
	if err := os.RemoveAll(root); err != nil { // an earlier failure may have left one
		return "", err
	}

	files, err := p.volumes(ctx, pod)
	if err != nil {
		return "", err
	}
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
	}

	program := filepath.Join(root, entrypoint)
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return "", err
	}
	return root, os.Link(p.Program, program)
}

// volumes returns the files in the volumes of a pod, by path: those of its config maps, and those of its
// service account.
func (p *Pods) volumes(ctx context.Context, pod *corev1.Pod) (map[string]string, error) {
	files := map[string]string{}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		at := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		if at < 0 || pod.Spec.Volumes[at].ConfigMap == nil {
			continue // the files of the service account's volume are added below
		}
		data, err := p.Client.CoreV1().ConfigMaps(pod.Namespace).Get(ctx, pod.Spec.Volumes[at].ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, text := range data.Data {
			files[filepath.Join(mount.MountPath, name)] = text
		}
	}

	token, err := p.Token(ctx, pod.Namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(p.Cluster.CAFile())
	if err != nil {
		return nil, err
	}

	const account = "/var/run/secrets/kubernetes.io/serviceaccount/"
	files[account+"token"], files[account+"ca.crt"] = token, string(ca)
	files[account+"namespace"] = pod.Namespace
	return files, nil
}

// Token returns a token of a service account.
func (p *Pods) Token(ctx context.Context, namespace, account string) (string, error) {
	seconds := int64(24 * 3600)
	made, err := p.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return made.Status.Token, nil
}

// Restarts returns the number of processes that ended by themselves and were restarted.
func (p *Pods) Restarts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.again
}

// Forbidden returns the lines in the pods' logs about requests that were not allowed.
func (p *Pods) Forbidden() (out []string, err error) {
	logs, err := filepath.Glob(filepath.Join(p.Cluster.Logs(), Release+"-*.log"))
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "forbidden") {
				out = append(out, strings.TrimSpace(line))
			}
		}
	}
	return out, err
}

package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options are the settings of a control plane.
type Options struct {
	// Program returns the path of a program by its name.
	Program func(name string) string
	// Scheduler is the name of the scheduler program. If it is empty no scheduler is started. Plugin is the
	// plugin that replaces DefaultPreemption in it; it may be empty.
	Scheduler, Plugin string
	// DRAPreemption makes the plugin preempt for devices.
	DRAPreemption bool
	// Profiles are the scheduler names that pods may ask for. If there are none, DefaultProfile is the only
	// one.
	Profiles []string
	// AuditPolicy is the policy of the API server's audit log. If it is empty, no log is kept.
	AuditPolicy string
	// Dir is the folder for the keys, logs and data of this run.
	Dir string
	// Say prints a line of progress.
	Say func(format string, args ...any)
}

// Cluster is a running control plane.
type Cluster struct {
	// Kubeconfig is the path of an administrator's kubeconfig.
	Kubeconfig string
	// Rest is the configuration of a client with an administrator's rights.
	Rest  *rest.Config
	Ports Ports

	options                      Options
	dir, logs                    string
	authority                    *Authority
	serving, accounts            Pair
	controllers                  string     // kubeconfig of the controllers
	scheduler                    string     // kubeconfig of the scheduler
	processes                    []*Process // in the order in which they were first started
	controllerManager, apiserver *Process
}

// New starts a control plane. The caller calls End, even after an error, to end everything that was started.
func New(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{options: o, dir: o.Dir, logs: filepath.Join(o.Dir, "logs")}
	if err := c.prepare(); err != nil {
		return c, err
	}

	// There is no need to wait for etcd, because the API server becomes ready only after it. The other programs
	// are started when the API server is ready.
	if err := c.start(ctx, "etcd", "etcd", c.etcdArguments(), nil); err != nil {
		return c, err
	}
	if err := c.start(ctx, "kube-apiserver", "kube-apiserver", c.apiserverArguments(), c.apiserverReady()); err != nil {
		return c, err
	}
	c.apiserver = c.processes[len(c.processes)-1]

	healthy := c.probe(c.Ports.Controllers, "/healthz")
	if err := c.start(ctx, "kube-controller-manager", "kube-controller-manager", c.controllersArguments(), healthy); err != nil {
		return c, err
	}
	c.controllerManager = c.processes[len(c.processes)-1]

	// A caller that names no scheduler starts one itself.
	if o.Scheduler == "" {
		return c, nil
	}
	config := filepath.Join(c.dir, "scheduler.json")
	if err := writeSchedulerConfiguration(config, c.configuration(o.Plugin)); err != nil {
		return c, err
	}
	ready := c.probe(c.Ports.Scheduler, "/readyz")
	return c, c.start(ctx, "kube-scheduler", o.Scheduler, c.schedulerArguments(config, c.Ports.Scheduler), ready)
}

// DefaultProfile is the scheduler name of pods that name none.
const DefaultProfile = "default-scheduler"

func (c *Cluster) profiles() []string {
	if len(c.options.Profiles) == 0 {
		return []string{DefaultProfile}
	}
	return c.options.Profiles
}

// WriteProfiles writes the configuration of a scheduler with the given profiles, or with those of the cluster's
// scheduler if none are given. It names no plugin, because a plugin decides as the scheduler itself does.
func (c *Cluster) WriteProfiles(file string, profiles ...string) error {
	if len(profiles) == 0 {
		profiles = c.profiles()
	}
	return writeSchedulerConfiguration(file, schedulerConfiguration(c.scheduler, "", false, profiles...))
}

func (c *Cluster) apiserverReady() func(context.Context) error {
	return c.probe(c.Ports.APIServer, "/readyz")
}

// prepare makes folders, certificates and configurations.
func (c *Cluster) prepare() (err error) {
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return err
	}
	c.logs = filepath.Join(c.dir, "logs")
	if err := os.MkdirAll(c.logs, 0o755); err != nil {
		return err
	}

	if c.Ports, err = FreePorts(); err != nil {
		return err
	}
	if c.authority, err = NewAuthority(filepath.Join(c.dir, "pki")); err != nil {
		return err
	}
	if c.serving, err = c.authority.Server("server", "kubernetes", "kubernetes.default", "kubernetes.default.svc"); err != nil {
		return err
	}
	if c.accounts, err = c.authority.Key("service-accounts"); err != nil {
		return err
	}

	if c.options.AuditPolicy != "" {
		if err := os.WriteFile(c.auditPolicy(), []byte(c.options.AuditPolicy), 0o600); err != nil {
			return err
		}
	}
	return c.clients()
}

// SchedulerUser is the name under which schedulers authenticate to the API server.
const SchedulerUser = "system:kube-scheduler"

// CAFile returns the path of the certificate of the authority that has signed the API server's certificate.
func (c *Cluster) CAFile() string { return c.authority.CertFile() }

// Logs returns the folder of the logs.
func (c *Cluster) Logs() string { return c.logs }

// clients makes a certificate and a kubeconfig for each client. The scheduler has the rights that every cluster
// gives it, and no others.
func (c *Cluster) clients() (err error) {
	if c.Kubeconfig, err = c.client("admin", "admin", "system:masters"); err != nil {
		return err
	}
	if c.controllers, err = c.client("controllers", "system:kube-controller-manager", "system:masters"); err != nil {
		return err
	}
	if c.scheduler, err = c.client("scheduler", SchedulerUser); err != nil {
		return err
	}
	if c.Rest, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return err
	}
	c.Rest.QPS, c.Rest.Burst = 500, 1000
	return nil
}

func (c *Cluster) client(name, user string, groups ...string) (string, error) {
	pair, err := c.authority.Client(name, user, groups...)
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.dir, name+".kubeconfig")
	return file, WriteKubeconfig(file, local("https", c.Ports.APIServer), c.authority.CertFile(), pair)
}

// start starts a program and waits until it is ready.
func (c *Cluster) start(ctx context.Context, name, program string, args []string, ready func(context.Context) error) error {
	p, err := Start(name, c.options.Program(program), c.logs, args...)
	if err != nil {
		return err
	}
	c.processes = append(c.processes, p)
	if ready == nil {
		c.options.Say("started %s, process %d", name, p.ID())
		return nil
	}
	begun := time.Now()
	if err := c.await(ctx, p, ready); err != nil {
		return err
	}
	c.options.Say("started %s, process %d, ready after %v", name, p.ID(), time.Since(begun).Round(100*time.Millisecond))
	return nil
}

// patience is the longest time that a program may take to become ready.
const patience = 3 * time.Minute

func (c *Cluster) await(ctx context.Context, p *Process, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.Ended():
			return p.Failure()
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; last answer: %v; the end of %s:\n%s", p.Name, ctx.Err(), err, p.Log, tail(p.Log, 2000))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Failure returns an error if a program has ended by itself.
func (c *Cluster) Failure() error {
	for _, p := range c.processes {
		if err := p.Failure(); err != nil {
			return err
		}
	}
	return nil
}

// PauseControllers suspends all controllers until ResumeControllers. Meanwhile evicted pods are not replaced,
// and budgets do not change.
func (c *Cluster) PauseControllers() error { return c.controllerManager.Pause() }

// ResumeControllers lets the controllers continue.
func (c *Cluster) ResumeControllers() error { return c.controllerManager.Resume() }

// PauseAPIServer suspends the API server until ResumeAPIServer.
func (c *Cluster) PauseAPIServer() error { return c.apiserver.Pause() }

// ResumeAPIServer lets the API server continue.
func (c *Cluster) ResumeAPIServer() error { return c.apiserver.Resume() }

// KillAPIServer kills the API server.
func (c *Cluster) KillAPIServer() error { return c.apiserver.Kill() }

// RestartAPIServer starts the API server again, and returns when it is ready.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	p, err := Start(c.apiserver.Name, c.options.Program("kube-apiserver"), c.logs, c.apiserverArguments()...)
	if err != nil {
		return err
	}
	c.processes[slices.Index(c.processes, c.apiserver)] = p
	c.apiserver = p
	return c.await(ctx, p, c.apiserverReady())
}

// End ends everything that was started, in reverse order. It may be called more than once.
func (c *Cluster) End() {
	for i := len(c.processes) - 1; i >= 0; i-- {
		p := c.processes[i]
		p.Stop(20 * time.Second)
		c.options.Say("ended %s, process %d", p.Name, p.ID())
	}
	c.processes = nil
}

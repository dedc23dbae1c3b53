package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"

	library "github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/load"
)

// underLoad starts a cluster, puts the schedulers under load in it, and ends it.
func (j *job) underLoad(ctx context.Context) error {
	begun := time.Now()
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // the API server would warn of each odd object
	c, err := controlplane.New(ctx, controlplane.Options{
		Program: j.program, Dir: j.dir, Say: j.say, AuditPolicy: audit.Policy(controlplane.SchedulerUser, load.Namespace),
	})
	defer c.End()
	if err != nil {
		return err
	}

	// The mirror follows the cluster through all faults, and is compared with it at the end. Errors of the
	// kubelets are not printed, because there are many while the API server is down.
	followed, err := mirror.New(library.V1_37)
	if err != nil {
		return err
	}
	w, err := newWorld(ctx, c, j.versions, habits{
		podsEndAfter: 1500 * time.Millisecond,
		trouble:      func(error) {},
		follow: func(f informers.SharedInformerFactory) error {
			_, err := followed.Follow(f, mirror.Everything...)
			return err
		},
	}, j.say)
	if err != nil {
		return err
	}
	defer w.end()

	runner := &load.Runner{
		Cluster: c, Client: w.client, Pods: w.pods, Followed: followed, Seed: j.seed, Say: j.say,
		Judge: audit.NewJudge(c.AuditLog(), controlplane.SchedulerUser, load.Namespace),
	}
	table, err := runner.Run(ctx, j.schedulers(), j.load, j.faults)

	j.head(begun)
	if err := errors.Join(err, table.Write(j.out)); err != nil {
		return err
	}
	if wrong := table.Wrong(outrank); len(wrong) > 0 {
		return fmt.Errorf("%w: %s; logs are in %s", errWrong, strings.Join(wrong, "; "), j.dir)
	}
	return nil
}

// schedulers returns the schedulers that are put under load in turn.
func (j *job) schedulers() (out []load.Scheduler) {
	for _, name := range []string{stock, outrank} {
		if j.scheduler == name || j.scheduler == both {
			out = append(out, load.Scheduler{Name: name, Scheduler: controlplane.Scheduler{
				Program: programOf(name), Plugin: pluginOf(name), Profiles: load.Profiles,
			}})
		}
	}
	return out
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// every is the part of the recorded cases that slow tests take: 1 means all of
// them, as the step corpus of .ci/run has it.
var every = flag.Int("every", 20, "how many recorded cases to go on by where each takes long")

// exactCount compares exact victims with those of the reference.
type exactCount struct{ cases, preempt, better, nodes, betterNodes, open int }

// TestExactIsNeverWorse compares exact victims with the reference's, by the reference's
// ranks, on recorded cases of a pod that wants room: the plan, and the candidate of
// each node. With CORPUS, a folder, it does so for the cases in all folders of that.
func TestExactIsNeverWorse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.cases.jsonl.gz")
	require.NoError(t, err)
	if dir := os.Getenv("CORPUS"); dir != "" {
		files, err = filepath.Glob(filepath.Join(dir, "*", "*.jsonl*"))
		require.NoError(t, err)
		files = slices.DeleteFunc(files, func(f string) bool {
			return strings.Contains(f, ".decisions.") || strings.Contains(filepath.Base(f), "min-req")
		})
	}
	require.NotEmpty(t, files)
	deferred, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	var all exactCount
	for _, release := range []outrank.Release{outrank.V1_36, deferred} {
		var n exactCount
		for _, file := range files {
			for i, line := range lines(t, file) {
				if i%*every != 0 {
					continue
				}
				c := Case{Release: release}
				require.NoError(t, json.Unmarshal(line, &c))
				if c.Mode != "scheduler" || c.resolve() != nil || c.setGates() != nil {
					continue
				}
				n.compare(t, &c, c.latest().Add(time.Second))
			}
		}
		t.Logf("%v: %d cases, on %d of which somebody has to leave: exact victims are better on %d, alike on %d, worse on none; %d are not proven to be the best; of %d candidates %d are better",
			release, n.cases, n.preempt, n.better, n.preempt-n.better, n.open, n.nodes, n.betterNodes)
		all.cases, all.better, all.betterNodes = all.cases+n.cases, all.better+n.better, all.betterNodes+n.betterNodes
	}
	assert.Greater(t, all.cases, 1000/(*every))
	assert.Positive(t, all.better)
	assert.Positive(t, all.betterNodes)
}

// compare compares one case.
func (n *exactCount) compare(t *testing.T, c *Case, now time.Time) {
	req := preemption.Request{Pod: c.Preemptor, Now: now}
	usual, err := c.explain(c.config(), req)
	if errors.Is(err, outrank.ErrInvalid) || errors.Is(err, preemption.ErrState) {
		return // of a group, which preempts as a whole, or running, which the release does not know
	}
	require.NoError(t, err, c.ID)
	config := c.config()
	config.Victims = preemption.Exact{}
	exact, err := c.explain(config, req)
	require.NoError(t, err, c.ID)
	n.cases++
	if usual.Outcome != preemption.Preempts {
		nothing := usual.Outcome == preemption.NothingHelps && exact.Outcome == preemption.Preempts
		require.True(t, exact.Outcome == usual.Outcome || nothing, "%s: %v, and exactly %v", c.ID, usual.Outcome, exact.Outcome)
		return
	}
	n.preempt++
	require.Equal(t, preemption.Preempts, exact.Outcome, c.ID)
	order, _ := exact.Score.Compare(usual.Score, nil)
	require.LessOrEqual(t, order, 0, "%s: %v, and exactly %v", c.ID, *plantest.Unexplained(usual), *plantest.Unexplained(exact))
	if order < 0 {
		n.better++
	}
	if !exact.ClusterCertificate.Optimal {
		n.open++
	}
	for i := range usual.Candidates {
		u := &usual.Candidates[i]
		at := slices.IndexFunc(exact.Candidates, func(k preemption.Candidate) bool { return k.Node == u.Node })
		require.GreaterOrEqual(t, at, 0, "%s: %s is a candidate no more", c.ID, u.Node)
		order, _ := exact.Candidates[at].Score.Compare(u.Score, nil)
		require.LessOrEqual(t, order, 0, "%s: %v, and exactly %v", c.ID, u, exact.Candidates[at])
		n.nodes++
		if order < 0 {
			n.betterNodes++
		}
	}
	n.regret(t, c, usual, exact, now)
}

// regret compares the regret of the reference's plan with the exact one.
func (n *exactCount) regret(t *testing.T, c *Case, usual, exact *preemption.Plan, now time.Time) {
	snap, err := engine.NewSnapshot(c.cluster())
	require.NoError(t, err)
	eval, err := engine.New(c.config())
	require.NoError(t, err)
	r, err := joint.RegretOf(context.Background(), eval, snap, plantest.Unexplained(usual), now)
	require.NoError(t, err, c.ID)
	order, by := exact.Score.Compare(r.Score, nil)
	require.Equal(t, order == 0, r.By == "", c.ID)
	if order < 0 {
		require.Equal(t, by, r.By, c.ID)
	}
	require.Equal(t, exact.Score, r.Best.Score, c.ID)
}

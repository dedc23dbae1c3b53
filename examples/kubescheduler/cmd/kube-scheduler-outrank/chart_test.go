//go:build !kube136

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	psapi "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// The scheduler starts with every configuration that the chart's tests make, with all its profiles. Where pods preempt
// for devices, the plugin is at preFilter before that of claims.
func TestConfigurationsOfTheChartLoad(t *testing.T) {
	files, err := filepath.Glob("../../deploy/testdata/*.config.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3)
	profiles := map[string]int{"default": 1, "devices": 2, "profiles": 3}
	for _, file := range files {
		s := started(t, file, "  qps:", "  kubeconfig: SERVER\n  qps:")
		name := strings.TrimSuffix(filepath.Base(file), ".config.yaml")
		assert.Len(t, s.Profiles, profiles[name], name)
		for scheduler, profile := range s.Profiles {
			on := profile.ListPlugins()
			assert.Contains(t, names(on.PostFilter), plugin.Name, scheduler)
			assert.NotContains(t, names(on.PostFilter), "DefaultPreemption", scheduler)
			early := names(on.PreFilter)
			if name == "devices" {
				assert.Less(t, slices.Index(early, plugin.Name), slices.Index(early, devices.Name), scheduler)
			}
			assert.Equal(t, name == "devices", slices.Contains(early, plugin.Name), scheduler)
		}
	}
}

// The pods of the scheduler keep to the standard for which the namespace of kustomize has a label.
func TestPodsAreRestricted(t *testing.T) {
	judge, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	for _, folder := range []string{"base", "v1.36"} {
		text, err := os.ReadFile("../../deploy/kustomize/" + folder + "/scheduler.yaml")
		require.NoError(t, err)
		found := 0
		for part := range strings.SplitSeq(string(text), "\n---") {
			var d appsv1.Deployment
			require.NoError(t, yaml.Unmarshal([]byte(part), &d))
			if d.Kind != "Deployment" {
				continue
			}
			found++
			level := psapi.LevelVersion{Level: psapi.LevelRestricted, Version: psapi.LatestVersion()}
			for _, r := range judge.EvaluatePod(level, &d.Spec.Template.ObjectMeta, &d.Spec.Template.Spec) {
				assert.True(t, r.Allowed, "%s: %s", r.ForbiddenReason, r.ForbiddenDetail)
			}

			open := d.Spec.Template.Spec.DeepCopy()
			open.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
			assert.True(t, slices.ContainsFunc(judge.EvaluatePod(level, &d.Spec.Template.ObjectMeta, open), func(r policy.CheckResult) bool { return !r.Allowed }), "the judge forbids something")
		}
		assert.Equal(t, 1, found, folder)
	}
}

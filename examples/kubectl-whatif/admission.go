package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/planner/quota"
)

// admission is the part of an AdmissionConfiguration that says which resources need a quota, or the
// configuration of that plugin by itself.
type admission struct {
	Kind    string          `json:"kind"`
	Limited []quota.Limited `json:"limitedResources"`
	Plugins []struct {
		Name          string          `json:"name"`
		Path          string          `json:"path"`
		Configuration json.RawMessage `json:"configuration"`
	} `json:"plugins"`
}

// quotaPlugin is the name of the admission plugin that enforces quotas.
const quotaPlugin = "ResourceQuota"

// readAdmission reads the file of --admission-config, if there is one: which resources need a quota.
func (o *options) readAdmission() ([]quota.Limited, error) {
	if o.admission == "" {
		return nil, nil
	}
	f, err := input.OpenFile(o.admission)
	if err != nil {
		return nil, fmt.Errorf("--admission-config: %w", err)
	}
	defer f.Close()

	in, err := input.JSON(f)
	var text []byte
	if err == nil {
		// Longer than any real configuration, and short enough to hold in memory.
		text, err = io.ReadAll(io.LimitReader(in, mostManifest))
	}
	var limited []quota.Limited
	if err == nil {
		limited, err = limitsOf(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--admission-config %s: %w", o.admission, err)
	}

	// Limits that are wrong are refused for every pod, so that any pod finds the mistake.
	if _, err := (&quota.Admission{Limited: limited}).Admit(nil, quota.Pod{Pod: &outrank.Pod{Name: "any"}}); err != nil {
		return nil, console.Unusable("--admission-config "+o.admission, err)
	}
	return limited, nil
}

// limitsOf returns the resources that need a quota, read from the text of a configuration.
func limitsOf(text []byte) ([]quota.Limited, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	var a admission
	if err := strictly(text, &a); err != nil {
		return nil, err
	}

	switch a.Kind {
	case "ResourceQuotaConfiguration", "Configuration": // the second is its name in old files
		return a.Limited, nil
	case "AdmissionConfiguration":
	default:
		return nil, fmt.Errorf("kind %q where an AdmissionConfiguration or a ResourceQuotaConfiguration is wanted", a.Kind)
	}

	// The plugin's configuration may stand in the file itself or in another one.
	for _, p := range a.Plugins {
		switch {
		case p.Name != quotaPlugin, len(p.Configuration) == 0 && p.Path == "":
		case p.Path != "":
			return nil, fmt.Errorf("the configuration of plugin %s is in %s; give that file", quotaPlugin, p.Path)
		default:
			var own admission
			err := strictly(p.Configuration, &own)
			return own.Limited, err
		}
	}
	return nil, fmt.Errorf("plugin %s is not configured here", quotaPlugin)
}

// strictly reads JSON and refuses fields that it does not know: a limit under a wrong name would
// silently limit nothing.
func strictly(text []byte, to *admission) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(&struct {
		APIVersion string `json:"apiVersion"`
		*admission
	}{admission: to})
}

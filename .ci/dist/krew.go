package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// krewTemplate is the template of the plugin's manifest for krew, krewName the name of the manifest in a release.
const (
	krewTemplate = "examples/kubectl-whatif/krew.yaml"
	krewName     = "whatif.yaml"
)

// krew writes the manifest of the plugin, if all archives that it names are made.
func (b *builder) krew() error {
	text, err := os.ReadFile(b.source.path(krewTemplate))
	if err != nil {
		return err
	}
	for _, at := range everywhere {
		if !slices.Contains(b.parts, part{named("kubectl-whatif"), at}) {
			return nil
		}
	}
	filled, err := fillKrew(string(text), b.source.version, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(b.out, name)) })
	if err != nil {
		return fmt.Errorf("%s: %w", krewTemplate, err)
	}
	return b.write(krewName, filled)
}

// fillKrew fills in the template as the bot that submits plugins to krew does. The archives are not fetched: read
// returns an archive by its name.
func fillKrew(text, version string, read func(name string) ([]byte, error)) ([]byte, error) {
	data := struct{ TagName string }{version}
	funcs := template.FuncMap{
		"addURIAndSha": func(url, _ string) (string, error) {
			at, err := execute(url, nil, data)
			if err != nil {
				return "", err
			}
			archive, err := read(at[strings.LastIndexByte(at, '/')+1:])
			if err != nil {
				return "", err
			}
			return "uri: " + at + "\nsha256: " + checksum(archive), nil
		},
		"indent": func(by int, text string) string {
			pad := strings.Repeat(" ", by)
			return strings.TrimSpace(pad + strings.ReplaceAll(text, "\n", "\n"+pad))
		},
	}
	filled, err := execute(text, funcs, data)
	// The first lines are comments about the template.
	for strings.HasPrefix(filled, "#") {
		_, filled, _ = strings.Cut(filled, "\n")
	}
	return []byte(filled), err
}

func execute(text string, funcs template.FuncMap, data any) (string, error) {
	t, err := template.New("").Funcs(funcs).Parse(text)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.String(), err
}

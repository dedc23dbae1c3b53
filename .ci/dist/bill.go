package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

// billed is a program that an archive holds.
type billed struct {
	part
	program []byte
	info    *buildinfo.BuildInfo
}

// The fields of SPDX 2.3 that a bill has.
type (
	spdxDocument struct {
		Version       string         `json:"spdxVersion"`
		DataLicence   string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      spdxCreation   `json:"creationInfo"`
		Packages      []spdxPackage  `json:"packages"`
		Relationships []spdxRelation `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		Name      string          `json:"name"`
		ID        string          `json:"SPDXID"`
		Version   string          `json:"versionInfo"`
		Location  string          `json:"downloadLocation"`
		Analyzed  bool            `json:"filesAnalyzed"`
		Checksums []spdxChecksum  `json:"checksums,omitempty"`
		Concluded string          `json:"licenseConcluded"`
		Declared  string          `json:"licenseDeclared"`
		Copyright string          `json:"copyrightText"`
		Purpose   string          `json:"primaryPackagePurpose"`
		Comment   string          `json:"comment,omitempty"`
		Refs      []spdxReference `json:"externalRefs"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxReference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelation struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

// noAssertion is the value of SPDX for a field that says nothing.
const noAssertion = "NOASSERTION"

// releases is the address below which the files of a release are published.
const releases = "https://" + licence.Own + "/releases/download/"

const billSuffix = ".spdx.json"

// billOf returns the name of the bill of materials of an archive.
func billOf(archive string) string {
	return strings.TrimSuffix(strings.TrimSuffix(archive, ".zip"), ".tar.gz") + billSuffix
}

var notInID = regexp.MustCompile(`[^0-9A-Za-z.-]+`)

// spdxID returns the name of a package within the document.
func spdxID(name, version string) string {
	return "SPDXRef-" + notInID.ReplaceAllString(name+"-"+version, "-")
}

// bill returns the bill of materials of an archive. It lists the programs, and the modules that the compiler has
// recorded in them. The checksum of the first program makes the namespace unique.
func (b *builder) bill(archive string, programs []billed) ([]byte, error) {
	name := strings.TrimSuffix(billOf(archive), billSuffix)
	doc := &spdxDocument{
		Version: "SPDX-2.3", DataLicence: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: releases + b.source.version + "/" + name + billSuffix + "-" + checksum(programs[0].program)[:16],
		Creation: spdxCreation{
			Created:  b.source.time.Format("2006-01-02T15:04:05Z"),
			Creators: []string{"Organization: outrank-go", "Tool: outrank-dist"},
		},
	}

	// Programs of one archive share modules. A module is listed once, and related to each program that contains
	// it.
	packages := map[string]spdxPackage{}
	for _, one := range programs {
		id := spdxID("Program-"+one.part.program.name, "")
		packages[id] = spdxPackage{
			Name: one.part.program.name, ID: id, Version: b.source.version, Location: releases + b.source.version + "/" + archive,
			Checksums: []spdxChecksum{{"SHA256", checksum(one.program)}},
			Concluded: noAssertion, Declared: "Apache-2.0", Copyright: noAssertion, Purpose: "APPLICATION",
			Refs: golang(one.info.Main.Path, b.source.version),
		}
		doc.Relationships = append(doc.Relationships, spdxRelation{doc.ID, "DESCRIBES", id})

		parts, err := b.materials(one)
		if err != nil {
			return nil, err
		}
		for _, m := range parts {
			packages[m.ID] = m
			doc.Relationships = append(doc.Relationships, spdxRelation{id, "CONTAINS", m.ID})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(packages)) {
		doc.Packages = append(doc.Packages, packages[id])
	}

	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return out.Bytes(), err
}

// materials returns the modules in a program, and Go's standard library. It is an error if the licence of a
// module was not read: then the program contains more than what was listed for it.
func (b *builder) materials(p billed) ([]spdxPackage, error) {
	goVersion, _, _ := strings.Cut(p.info.GoVersion, " ")
	library := spdxPackage{
		Name: "std", ID: spdxID("std", goVersion), Version: goVersion, Location: noAssertion,
		Concluded: noAssertion, Declared: "BSD-3-Clause", Copyright: noAssertion, Purpose: "LIBRARY",
		Refs: golang("stdlib", strings.TrimPrefix(goVersion, "go")),
	}
	list := []spdxPackage{library}

	known, err := b.modules(p.part.program)
	if err != nil {
		return nil, err
	}
	for _, m := range p.info.Deps {
		// The modules of this project have its version and its licence.
		path, version, comment, licences := m.Path, m.Version, "", "Apache-2.0"
		if path == licence.Own || strings.HasPrefix(path, licence.Own+"/") {
			version = b.source.version
		} else {
			of, ok := known[path]
			if !ok {
				return nil, fmt.Errorf("it contains %s, whose licence was not read", path)
			}
			if m.Replace != nil {
				version = m.Replace.Version
			}
			licences = strings.Join(of.ids, " AND ")
			if m.Sum != "" {
				comment = "go.sum: " + m.Sum
			}
		}
		list = append(list, spdxPackage{
			Name: path, ID: spdxID(path, version), Version: version, Location: noAssertion, Comment: comment,
			Concluded: noAssertion, Declared: licences, Copyright: noAssertion, Purpose: "LIBRARY", Refs: golang(path, version),
		})
	}
	return list, nil
}

// golang returns a reference to a module by its package URL.
func golang(path, version string) []spdxReference {
	return []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")}}
}

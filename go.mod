module github.com/outrank-go/outrank

go 1.25.0

toolchain go1.26.8

require (
	github.com/google/go-cmp v0.7.0
	github.com/stretchr/testify v1.12.1
	pgregory.net/rapid v1.3.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

#!/usr/bin/env node
import "../node-version.ts";
process.stdout.write("tidemark\n");

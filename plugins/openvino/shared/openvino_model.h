// OpenVINO's side of a model: reading, how it is compiled for the CPU, what went wrong.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "openvino/openvino.hpp"

namespace tessera_openvino {

/// Of the process. It is never taken down: OpenVINO's threads may outlive static objects.
ov::Core& core();

/// The device on which everything runs.
constexpr const char* kDevice = "CPU";

/// Opset of the models that OpenVINO's reader gets.
constexpr int kOpset = 20;

/// Reads a serialised ModelProto. Constants with an address are read there. Throws what OpenVINO
/// throws.
std::shared_ptr<ov::Model> readModel(const std::string& proto);

/// Lets constants that are equal to a weight share its memory: OpenVINO's reader copies what it
/// finds at an address. The memory must outlive the model and what is compiled of it.
void shareWeights(ov::Model& model, std::span<const std::span<const std::byte>> weights);

/// The same; nodes that OpenVINO does not know become ov::op::util::FrameworkNode.
std::shared_ptr<ov::Model> readPartially(const std::string& proto);

/// f32 as it is, one stream of `numThreads` threads that are free to move.
ov::AnyMap cpuProperties(int numThreads);

/// What OpenVINO says went wrong, as one sentence.
std::string sentenceOf(const std::exception& error);

}  // namespace tessera_openvino
